"""The session view in Chromium: its verdict, facts, outline and story, fed with what the gateway sends."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

import tarsy_testing.story.whole_chain as chain
from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_testing.browser.browser import Tab, copying
from tarsy_testing.browser.page_feed import LOAD_STYLES, SHOW_SESSION
from tarsy_testing.browser.styled_page import STYLES
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAGE = load_page()
ASSETS = f"/assets/{PAGE.version}"
HOSTILE = "<img src=x onerror=alert(1)>"
ALERT = {
    "labels": {"alertname": "CrashLoop", "team": HOSTILE, "namespace": "shop"},
    "annotations": {
        "runbook_url": "https://example.test/crash.md", "dashboard_url": "https://grafana.example/d/1",
        "bad": "javascript:alert(1)", "note": "see https://example.test/not-a-link-alone", "data": "data:text/html,x",
    },
    "generatorURL": "http://prometheus.example/graph",
}  # fmt: skip
DETAIL = {
    "title": "Crash", "created_at": "2026-11-22T09:59:00Z", "started_at": "2026-11-22T10:00:00Z",
    "severity": "critical", "alert_type": "pod-crash", "source": "api", "author": "ann",
    "alert_data": json.dumps(ALERT), "total_stages": 4, "runbook_url": None,
    "total_tokens": 1200, "input_tokens": 1000, "cached_input_tokens": 600, "output_tokens": 200,
}  # fmt: skip
LONG_THOUGHT = "I look at the pods.\nThen at the log.\nSo it is memory."

type Message = dict[str, Any]
type NewSession = Callable[[], Any]


class View:
    """One session in the tab, with the page's styles."""

    def __init__(self, tab: Tab, session: Any) -> None:
        self.page = tab.page
        self.session = session
        self._feed = Feed()

    def _messages(self, since: int = 0) -> list[Message]:
        numbers = range(since + 1, len(self.session.records) + 1)
        return [json.loads(one.text) for number in numbers for one in self._feed.event(self.session.recorded(number))]

    async def show(self, **detail: object) -> None:
        await self.page.goto("/blank")
        await self.page.evaluate(LOAD_STYLES, [f"{ASSETS}/{path}" for path in STYLES])
        shown = [ASSETS, self.session.id, {**DETAIL, **detail}, self._messages()]
        await self.page.evaluate(SHOW_SESSION, shown)

    async def add(self, *events: e.Event) -> None:
        before = len(self.session.records)
        self.session.add(*events)
        await self.page.evaluate("(messages) => window.feed(messages)", self._messages(before))

    def items(self, kind: str) -> Locator:
        return self.page.locator(f".item[data-type={kind}]")


@pytest.fixture
def view(tab: Tab, new_session: NewSession) -> View:
    """Both agents of the first stage run."""
    session = new_session()
    session.add(*chain.whole_chain(session.id)[:8])
    return View(tab, session)


def pods(view: View) -> str:
    return execution_id(stage_id(view.session.id, 1), 1)


def call(view: View, id: str, tool: str, *, repeatable: bool, outcome: e.Outcome = "ok") -> list[e.Event]:
    return [
        e.ToolCallRequested(
            call_id=id, execution_id=pods(view), llm_call_id="", server="k8s", tool=tool, arguments={"name": HOSTILE},
            repeatable=repeatable, timeout_seconds=60,
        ),
        e.ToolCallCompleted(call_id=id, outcome=outcome, content="done", size=4, lines=1),
    ]  # fmt: skip


def said(view: View, id: str, thinking: str, text: str) -> list[e.Event]:
    return [
        e.LlmCallRequested(
            llm_call_id=id, execution_id=pods(view), iteration=1, attempt=1, purpose="iteration", llm_provider="gemini"
        ),
        e.LlmCallCompleted(
            llm_call_id=id, execution_id=pods(view), thinking=thinking, text=text, tool_calls=(), usage=Usage(),
            model="gemini-3.7", duration_ms=5,
        ),
    ]  # fmt: skip


async def be_lost(view: View) -> None:
    await view.page.evaluate(
        "async (assets) => { const { isLive, isLost } = await import(`${assets}/stores/connection.js`);"
        " isLive(); isLost(); }",
        ASSETS,
    )


async def be_live(view: View) -> None:
    await view.page.evaluate("async (assets) => (await import(`${assets}/stores/connection.js`)).isLive()", ASSETS)


async def test_a_failed_session_says_where_and_why_once_and_what_is_known(view: View) -> None:
    whole = chain.whole_chain(view.session.id)
    ended = next(place for place, event in enumerate(whole) if isinstance(event, e.ExecutionCompleted))
    view.session.add(*whole[8 : ended + 1])
    stage = e.StageCompleted(stage_id=stage_id(view.session.id, 1), index=1, name="look", status="failed", error="401")
    view.session.add(stage, e.SessionFailed(error=f"401 {HOSTILE}"))
    await view.show()
    stopped = view.page.locator(".stopped")

    await expect(stopped.locator("h2")).to_have_text("Failed in stage look, agent Metrics.")
    await expect(stopped.locator(".failure")).to_have_text(f"401 {HOSTILE}")
    await expect(view.page.locator(".failure")).to_have_count(1)
    await expect(stopped.locator(".markdown")).to_have_text(chain.PODS)


async def test_a_rerun_begins_another_session_and_leads_there(view: View) -> None:
    view.session.add(e.SessionFailed(error="401"))
    asked: list[str] = []

    async def accept(route: Route) -> None:
        asked.append(f"{route.request.method} {route.request.headers['idempotency-key']}")
        await route.fulfill(status=202, json={"session_id": "next", "parent_id": view.session.id})

    await view.show()
    await view.page.route("**/rerun", accept)
    await view.page.get_by_role("button", name="Re-run").click()

    await expect(view.page).to_have_url(re.compile("/sessions/next$"))
    assert [one.partition(" ")[0] for one in asked] == ["POST"]


@pytest.mark.parametrize(("role", "count"), [("viewer", 0), ("responder", 0), ("operator", 1), ("admin", 1), (None, 1)])
async def test_only_who_may_run_it_again_is_offered_to(view: View, role: str | None, count: int) -> None:
    view.session.add(e.SessionFailed(error="401"))
    await view.show()
    await view.page.evaluate(
        """async ([assets, role]) => {
            const { account } = await import(`${assets}/stores/account_store.js`);
            account.value = { name: "ann", role, canLogIn: true };
        }""",
        [ASSETS, role],
    )
    await expect(view.page.get_by_role("button", name="Re-run")).to_have_count(count)


async def test_a_cancelled_session_says_by_whom(view: View) -> None:
    view.session.add(e.SessionCancelled(author="ann"))
    await view.show()

    await expect(view.page.locator(".stopped h2")).to_have_text("Cancelled by ann.")
    await expect(view.page.locator(".verdict .failure")).to_have_count(0)


async def test_the_reason_of_a_cancellation_is_sent_and_shown(view: View) -> None:
    sent: list[object] = []

    async def take(route: Route) -> None:
        sent.append(route.request.post_data_json)
        await route.fulfill(status=200, json={"message": "The session is being cancelled."})

    await view.page.route("**/cancel", take)
    await view.show()
    await view.page.get_by_role("button", name="Cancel").click()
    await view.page.get_by_label("Reason (optional)").fill("a drill")
    await view.page.get_by_role("button", name="Yes, cancel it").click()
    await expect(view.page.locator(".cancelling .answer")).to_have_text("The session is being cancelled.")
    assert sent == [{"reason": "a drill"}]
    await view.add(e.SessionCancelled(author="ann", comment="a drill"))
    await expect(view.page.locator(".stopped h2")).to_have_text("Cancelled by ann: a drill.")
    await view.page.unroute("**/cancel", take)


async def test_what_was_answered_to_a_cancellation_goes_with_the_end_of_the_session(view: View, tab: Tab) -> None:
    async def refuse(route: Route) -> None:
        await route.fulfill(status=503, json={"detail": "No timeline answers now."})

    await view.page.route("**/cancel", refuse)
    await view.show()
    await view.page.get_by_role("button", name="Cancel").click()
    await view.page.get_by_role("button", name="Yes, cancel it").click()
    answer = view.page.locator(".cancelling .answer")
    await expect(answer).to_have_text("Not cancelled: No timeline answers now.")
    await view.add(e.SessionCompleted(final_analysis="It was DNS."))
    await expect(view.page.locator(".state .status")).to_have_text("Completed")
    await expect(answer).to_have_count(0)
    assert [one for one in tab.complaints if "503" not in one] == []
    tab.complaints.clear()
    await view.page.unroute("**/cancel", refuse)


async def test_only_addresses_of_the_web_become_links_and_labels_are_text(view: View) -> None:
    await view.show()
    links = view.page.locator(".links a")

    await expect(links).to_have_text(["Runbook", "Dashboard", "Prometheus"])
    assert await links.evaluate_all("nodes => nodes.map((one) => one.href)") == [
        "https://example.test/crash.md", "https://grafana.example/d/1", "http://prometheus.example/graph"
    ]  # fmt: skip
    assert await links.evaluate_all("nodes => nodes.every((one) => one.rel.includes('noopener'))")
    await expect(view.page.locator(".labels dd")).to_have_text(["CrashLoop", HOSTILE, "shop"])


async def test_the_facts_say_what_it_cost_and_which_model_answered(view: View) -> None:
    view.session.add(*said(view, "l1", "", "Hm."))
    await view.show()
    facts = view.page.locator(".facts")

    await expect(facts).to_contain_text("1,000 in (600 from cache), 200 out")
    await expect(facts).to_contain_text("gemini-3.7")
    await expect(facts.locator("code")).to_have_text(view.session.id)


async def test_what_was_changed_is_listed_and_leads_to_its_call(view: View) -> None:
    view.session.add(
        *call(view, "c1", "pods_list", repeatable=True), *call(view, "c2", "pods_delete", repeatable=False),
        *call(view, "c3", "restart", repeatable=False, outcome="rejected"),
    )  # fmt: skip
    await view.show()
    changed = view.page.locator(".changed li")

    await expect(changed).to_have_text(["k8s.pods_delete ok"])
    await changed.locator("a").click()
    marked = view.page.locator(".item[data-marked]")
    await expect(marked.locator(".tool")).to_have_text("k8s.pods_delete")
    await expect(marked).to_be_in_viewport()


async def test_a_link_to_an_event_leads_there_and_shows_what_is_left_out(view: View) -> None:
    metrics = execution_id(stage_id(view.session.id, 1), 2)
    thought = e.LlmCallCompleted(
        llm_call_id="m1", execution_id=metrics, thinking=LONG_THOUGHT, text="", tool_calls=(), usage=Usage(), model="m",
        duration_ms=1,
    )  # fmt: skip
    view.session.add(
        e.LlmCallRequested(llm_call_id="m1", execution_id=metrics, iteration=1, attempt=1, purpose="iteration"), thought
    )
    await view.show()
    await view.page.get_by_role("button", name="Conclusions").click()
    await expect(view.items("llm_thinking")).to_be_hidden()
    address = await view.items("llm_thinking").get_attribute("id")
    await view.page.evaluate("(id) => { location.hash = id; }", address)

    await expect(view.items("llm_thinking")).to_be_visible()
    await expect(view.items("llm_thinking")).to_have_attribute("data-marked", "")
    await expect(view.page.get_by_role("region", name="Metrics").locator(".item[data-marked]")).to_be_in_viewport()
    await expect(view.page.get_by_role("button", name="Everything")).to_have_attribute("aria-pressed", "true")


async def test_how_much_is_shown_is_chosen_and_stands_in_the_address(view: View) -> None:
    view.session.add(
        *said(view, "l1", "Hm.", "I look."), *call(view, "c1", "pods_list", repeatable=True),
        *call(view, "c2", "pods_delete", repeatable=False),
    )  # fmt: skip
    await view.show()
    shown = view.page.locator(".group .item:visible")
    kinds = "nodes => nodes.map((one) => one.dataset.type)"

    assert await shown.evaluate_all(kinds) == ["llm_thinking", "llm_tool_call", "llm_tool_call"]
    await view.page.get_by_role("button", name="Steps").click()
    assert await shown.evaluate_all(kinds) == ["llm_tool_call", "llm_tool_call"]
    await expect(shown.locator(".lead")).to_have_text("I look.")
    assert view.page.url.endswith("?show=steps")
    await view.page.get_by_role("button", name="Conclusions").click()
    assert await shown.locator(".tool").all_inner_texts() == ["k8s.pods_delete"]
    await view.page.get_by_role("button", name="Everything").click()
    assert view.page.url.endswith("/blank")


async def test_the_last_three_thoughts_stand_open_while_it_runs(view: View) -> None:
    for number in range(5):
        view.session.add(*said(view, f"l{number}", LONG_THOUGHT, ""))
    await view.show()
    opened = "nodes => nodes.map((one) => one.open)"
    thoughts = view.items("llm_thinking").locator("details")

    assert await thoughts.evaluate_all(opened) == [False, False, True, True, True]
    await thoughts.first.locator("summary").click()
    await expect(thoughts.first.locator(".body")).to_have_text(LONG_THOUGHT)
    await view.add(*said(view, "l5", LONG_THOUGHT, ""))
    assert await thoughts.evaluate_all(opened) == [True, False, False, True, True, True]
    await view.add(e.SessionCancelled(author="ann"))
    assert await thoughts.evaluate_all(opened) == [True, False, False, False, False, False]
    await expect(thoughts.last).not_to_contain_text("Then at the log.")


async def test_an_answer_and_the_analysis_made_of_it_stand_once_and_an_earlier_equal_one_stays(view: View) -> None:
    view.session.add(*said(view, "l1", "", chain.PODS), *said(view, "l2", "", chain.PODS))
    ended = [one for one in chain.whole_chain(view.session.id) if isinstance(one, e.ExecutionCompleted)]
    view.session.add(ended[0])
    await view.show()

    shown = view.page.locator(".group .item:visible")
    assert await shown.locator(".label").all_inner_texts() == ["Response", "Final analysis"]
    assert await shown.locator(".body").all_inner_texts() == [chain.PODS] * 2


async def test_the_outline_leads_to_an_agent_and_says_what_is_to_come(view: View) -> None:
    await view.show()
    outline = view.page.get_by_role("navigation", name="Stages")

    await expect(outline.locator(".to-come")).to_have_text("3 stages to come")
    await outline.get_by_role("link", name="Metrics").click()
    await expect(view.page.get_by_role("region", name="Metrics")).to_be_in_viewport()
    await view.page.set_viewport_size({"width": 390, "height": 844})
    await expect(outline.get_by_role("link", name="Metrics")).to_be_hidden()
    await expect(outline.locator("summary")).to_contain_text("look: Running")
    await outline.locator("summary").click()
    await expect(outline.get_by_role("link", name="Metrics")).to_be_visible()
    await view.page.set_viewport_size({"width": 1280, "height": 720})
    await expect(outline.locator("details")).to_have_count(0)


async def test_while_the_connection_is_lost_nothing_counts_on_and_nobody_can_act(view: View) -> None:
    await view.show()
    await be_lost(view)
    took, cancel = view.page.locator(".facts .took"), view.page.get_by_role("button", name="Cancel")

    await expect(view.page.locator(".as-of")).to_contain_text("As of ")
    await expect(cancel).to_be_disabled()
    before = await took.inner_text()
    await view.page.evaluate(
        "async (assets) => { (await import(`${assets}/stores/clock.js`)).now.value += 7_200_000; }", ASSETS
    )
    assert await took.inner_text() == before
    await be_live(view)
    await expect(cancel).to_be_enabled()
    await expect(view.page.locator(".as-of")).to_have_count(0)
    await expect(took).not_to_have_text(before)


async def test_what_came_while_a_reader_is_elsewhere_is_counted_and_the_end_is_followed(view: View) -> None:
    for number in range(30):
        view.session.add(*call(view, f"c{number}", "pods_list", repeatable=True))
    await view.show()
    fresh = view.page.locator(".new-items")
    await expect(view.items("llm_tool_call").last).to_be_in_viewport()
    await view.page.mouse.wheel(0, -5000)
    await expect(view.items("llm_tool_call").last).not_to_be_in_viewport()
    await expect(fresh).to_have_count(0)
    await view.add(*call(view, "d1", "pods_list", repeatable=True), *call(view, "d2", "pods_list", repeatable=True))
    await expect(fresh).to_have_text("2 new")
    await fresh.click()
    await expect(fresh).to_have_count(0)
    await expect(view.items("llm_tool_call").last).to_be_in_viewport()
    for number in range(20):
        await view.add(*call(view, f"e{number}", "pods_list", repeatable=True))
    await expect(view.items("llm_tool_call").last).to_be_in_viewport()
    await expect(fresh).to_have_count(0)


async def test_the_verdict_is_copied_as_markdown(view: View) -> None:
    view.session.add(e.SessionCompleted(final_analysis="It was **DNS**.", executive_summary="DNS."))
    await view.show()
    await view.page.evaluate(
        "() => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: {"
        " writeText: async (text) => { window.copied = text; } } })"
    )
    await view.page.locator(".share > summary").click()
    async with copying(view.page):
        await view.page.get_by_role("button", name="Copy as Markdown").click()

    copied = await view.page.evaluate("window.copied")
    assert copied == "# Crash\n\n## Executive summary\n\nDNS.\n\n## Final analysis\n\nIt was **DNS**.\n"


async def test_the_session_is_saved_as_markdown_and_as_json(view: View) -> None:
    view.session.add(*said(view, "l1", "", "I look."), *call(view, "c1", "pods_list", repeatable=True))
    await view.show()
    saved = {}
    await view.page.locator(".share > summary").click()
    for kind in ("Markdown", "JSON"):
        async with view.page.expect_download() as begun:
            await view.page.get_by_role("button", name=f"Save as {kind}").click()
        download = await begun.value
        saved[download.suggested_filename] = await asyncio.to_thread(Path(await download.path()).read_text, "utf-8")

    markdown, whole = saved[f"session-{view.session.id}.md"], json.loads(saved[f"session-{view.session.id}.json"])
    assert "look / Pods · Response\n\nI look." in markdown
    assert f"k8s.pods_list(name={HOSTILE}): ok, 1 line · 4 B\n\n```\ndone\n```" in markdown
    assert [one["type"] for one in whole["items"]][-2:] == ["llm_response", "llm_tool_call"]
    assert whole["session"]["title"] == "Crash"


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_everything_fits_the_window(view: View, width: int) -> None:
    view.session.add(
        *said(view, "l1", LONG_THOUGHT, f"# Long\n\n```\n{'x' * 500}\n```\n\n|{'a|' * 40}\n|{'-|' * 40}\n|{'b|' * 40}"),
        *call(view, "c1", "pods_list", repeatable=False),
    )  # fmt: skip
    await view.page.set_viewport_size({"width": width, "height": 900})
    await view.show()

    assert await view.page.evaluate("document.documentElement.scrollWidth") == width
    await view.page.set_viewport_size({"width": 1280, "height": 720})


async def test_a_selection_stays_while_more_streams(view: View) -> None:
    await view.show()
    streamed = {
        "type": "timeline_event.created", "session_id": view.session.id, "event_id": "z", "event_type": "llm_response",
        "execution_id": pods(view), "status": "streaming", "content": "", "metadata": {}, "number": None,
        "sequence_number": 9999, "timestamp": "2026-11-22T10:01:00Z",
    }  # fmt: skip
    more = {"type": "stream.chunk", "event_id": "z", "number": None, "session_id": view.session.id}
    await view.page.evaluate("(some) => window.feed(some)", [streamed, {**more, "delta": "It was DNS"}])
    text = view.page.locator(".item[data-status=streaming] .text")
    await text.evaluate("(node) => getSelection().setBaseAndExtent(node.firstChild, 3, node.firstChild, 10)")
    await view.page.evaluate("(some) => window.feed(some)", [{**more, "delta": ", as ever."}])

    await expect(text).to_have_text("It was DNS, as ever.")
    assert await view.page.evaluate("getSelection().toString()") == "was DNS"


async def test_everything_that_acts_has_a_name(view: View) -> None:
    view.session.add(
        *said(view, "l1", LONG_THOUGHT, "```\nkubectl get pods\n```"), *call(view, "c1", "restart", repeatable=False),
        e.SessionCompleted(final_analysis="It was DNS.", executive_summary="DNS."),
    )  # fmt: skip
    await view.show()
    for role in ("button", "link", "textbox", "slider", "navigation", "region", "complementary"):
        snapshot = await view.page.locator("main").get_by_role(role, name=re.compile("^$")).count()
        assert snapshot == 0, f"a {role} has no name"


def status(value: str, number: int) -> dict[str, object]:
    return {"type": "session.status", "status": value, "number": number, "timestamp": "2026-11-22T10:00:00Z"}


async def test_what_is_counted_of_a_session_that_is_over_is_read_again_when_its_history_reaches_further(
    tab: Tab,
) -> None:
    """The API answered before the end of a reply was projected; of a session that runs it is asked again anyway."""
    asked = await tab.page.evaluate(
        """async ([assets, detail, messages]) => {
            const { SessionStore } = await import(`${assets}/stores/session_store.js`);
            const store = new SessionStore("a");
            const asked = [];
            store.read = async (atLeast) => { asked.push([store.present.status, atLeast]); };
            for (const message of messages) {
                store.takeDetail({ ...detail, status: message.status });
                store.begin();
                store.take(message);
            }
            return asked;
        }""",
        [
            ASSETS,
            {"id": "a", "last_number": 13, "created_at": "2026-11-22T10:00:00Z"},
            [status("in_progress", 14), status("completed", 13), status("completed", 24)],
        ],
    )
    assert asked == [["completed", 24]]
