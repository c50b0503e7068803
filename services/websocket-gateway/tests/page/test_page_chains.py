"""A whole chain as the page shows it, in Chromium: the views are fed with what the gateway sends."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import expect

import tarsy_testing.story.whole_chain as chain
from tarsy_contracts import events as e
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_testing.browser.axe import violations
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_feed import LOAD_STYLES, SHOW_SESSION
from tarsy_testing.browser.styled_page import STYLES
from tarsy_testing.story.story import agent
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import join_deltas
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"

type Message = dict[str, Any]
type NewSession = Callable[[], Any]
type Story = Callable[[], Any]

READ = """() => {
    const items = (root) => [...root.querySelectorAll(":scope > .items > .item")].filter((one) => !one.hidden)
        .map((one) => one.dataset.type + ("quiet" in one.dataset ? " quiet" : ""));
    const group = (node) => ({
        name: node.querySelector(":scope > h3").textContent,
        about: node.querySelector(":scope > p").textContent,
        lanes: [...node.querySelectorAll(":scope > .lanes > .lane > h4")].map((one) => one.textContent),
        items: [...node.querySelectorAll(":scope > [id^=panel-], :scope > .lanes > .lane > [id^=panel-]")].map(items),
        under: [...node.querySelectorAll(":scope > .under > .group")].map(group),
    });
    return {
        summary: document.querySelector(".short")?.innerText ?? null,
        analysis: document.querySelector(".analysis")?.innerText ?? null,
        loose: items(document.querySelector(".timeline")),
        groups: [...document.querySelectorAll(".groups > .group")].map(group),
    };
}"""


def live(session: Any, feed: Feed | None = None, *, since: int = 0) -> list[Message]:
    feed = feed or Feed()
    numbers = range(since + 1, len(session.records) + 1)
    return [json.loads(one.text) for number in numbers for one in feed.event(session.recorded(number))]


async def show(tab: Tab, messages: list[Message]) -> Message:
    await tab.page.evaluate(SHOW_SESSION, [ASSETS, "a", None, messages])
    return await read(tab)


async def show_with_styles(tab: Tab, messages: list[Message]) -> None:
    await show(tab, messages)
    await tab.page.evaluate(LOAD_STYLES, [f"{ASSETS}/{path}" for path in STYLES])


async def read(tab: Tab) -> Message:
    found: Message = await tab.page.evaluate(READ)
    return found


async def feed(tab: Tab, messages: list[Message]) -> Message:
    await tab.page.evaluate("(messages) => window.feed(messages)", messages)
    return await read(tab)


def told(new_session: NewSession, *, until: int | None = None) -> Any:
    session = new_session()
    return session.add(*chain.whole_chain(session.id)[:until])


WHOLE = {
    "loose": ["runbook"],
    "groups": [
        {
            "name": "look",
            "about": "2 agents in parallel, one must complete",
            "lanes": ["Pods Completed", "Metrics Completed"],
            "items": [
                ["error quiet", "llm_wait", "llm_response"],
                ["error", "provider_fallback", "llm_response"],
            ],
            "under": [
                {
                    "name": "look - Synthesis", "about": "", "lanes": [], "items": [["llm_response"]],
                    "under": [],
                }
            ],
        },
        {"name": "advise", "about": "", "lanes": [], "items": [["llm_response"]], "under": []},
        {"name": "Executive Summary", "about": "", "lanes": [], "items": [["llm_response"]], "under": []},
    ],
}  # fmt: skip
"""What stands above is not said again."""


async def test_a_whole_chain_is_shown_stage_by_stage_and_agent_by_agent(tab: Tab, new_session: NewSession) -> None:
    session = told(new_session)

    once = await show(tab, live(session))
    again = await feed(tab, [{"type": "again"}, *live(session)])

    assert {name: once[name] for name in WHOLE} == WHOLE
    assert again == once
    assert once["summary"].splitlines()[0::2] == ["Executive summary", chain.SUMMARY]
    assert chain.ADVICE in once["analysis"]


@pytest.mark.parametrize("cut", range(1, 38, 3))
async def test_wherever_a_page_comes_it_ends_the_same(tab: Tab, new_session: NewSession, cut: int) -> None:
    messages = live(told(new_session))

    await show(tab, messages[:cut])
    whole = await feed(tab, messages[cut:])

    assert {name: whole[name] for name in WHOLE} == WHOLE


async def test_the_overview_says_who_was_asked_instead_and_who_was_made_to_conclude(
    tab: Tab, new_session: NewSession
) -> None:
    await show(tab, live(told(new_session)))

    lines = await tab.page.evaluate(
        """() => [...document.querySelectorAll(".stages li")].map((one) => [
            one.querySelector(":scope > .name").textContent, one.querySelector(":scope > .more > .about").textContent,
            one.parentElement.closest("li")?.querySelector(":scope > .name").textContent ?? null,
        ])"""
    )

    assert lines == [
        ["look", "2 agents in parallel, one must complete", None],
        ["Pods", "gemini · 1 iteration", "look"],
        ["Metrics", "claude instead of gemini · 20 iterations · hit the iteration limit", "look"],
        ["look - Synthesis", "", "look"],
        ["Synthesis", "gemini · 1 iteration", "look - Synthesis"],
        ["advise", "", None],
        ["Adviser", "gemini · 1 iteration", "advise"],
        ["Executive Summary", "", None],
        ["Summary", "gemini · 1 iteration", "Executive Summary"],
    ]


async def test_the_outline_shows_one_part_of_the_story_alone_until_it_is_chosen_again(
    tab: Tab, new_session: NewSession
) -> None:
    await show_with_styles(tab, live(told(new_session)))
    outline = tab.page.get_by_role("navigation", name="Stages")
    pods, metrics = tab.page.locator(".lane").nth(0), tab.page.locator(".lane").nth(1)
    look, advise = tab.page.locator(".groups > .group").nth(0), tab.page.locator(".groups > .group").nth(1)
    synthesis = look.locator(".under > .group")

    await outline.get_by_role("link", name="Pods", exact=True).click()
    await expect(tab.page.locator(".chosen-part")).to_contain_text("Only Pods is shown.")
    await expect(pods).to_be_visible()
    for other in (metrics, synthesis, advise):
        await expect(other).to_be_hidden()

    await outline.get_by_role("link", name="look", exact=True).click()
    await expect(tab.page.locator(".chosen-part")).to_contain_text("Only look is shown.")
    for shown in (pods, metrics, synthesis):
        await expect(shown).to_be_visible()
    await expect(advise).to_be_hidden()

    await outline.get_by_role("link", name="look - Synthesis", exact=True).click()
    await expect(synthesis).to_be_visible()
    await expect(pods).to_be_hidden()
    await expect(outline.locator("[aria-current]")).to_have_text("look - Synthesis")

    await tab.page.get_by_role("button", name="Show all").click()
    for shown in (pods, metrics, synthesis, advise):
        await expect(shown).to_be_visible()
    await expect(outline.locator("[aria-current]")).to_have_count(0)


async def test_a_link_to_a_step_that_is_left_out_shows_all_again(tab: Tab, new_session: NewSession) -> None:
    await show_with_styles(tab, live(told(new_session)))
    step = tab.page.locator(".groups > .group").nth(1).locator(".item:visible").first
    id = await step.get_attribute("id")
    await tab.page.get_by_role("navigation", name="Stages").get_by_role("link", name="Pods", exact=True).click()
    await expect(tab.page.locator(f'[id="{id}"]')).to_be_hidden()

    await tab.page.evaluate("(id) => { location.hash = id; }", id)

    await expect(tab.page.locator(f'[id="{id}"]')).to_be_visible()
    await expect(tab.page.locator(".chosen-part")).to_have_count(0)


LANES = """() => [...document.querySelectorAll(".lane")].map((one) => {
    const { left, top, width } = one.getBoundingClientRect();
    return { left, top, width };
})"""


async def test_agents_of_a_parallel_stage_stand_side_by_side_and_on_a_phone_below_each_other(
    tab: Tab, new_session: NewSession
) -> None:
    await show_with_styles(tab, live(told(new_session)))
    lanes = tab.page.get_by_role("group", name="Agents of look").get_by_role("region")

    await expect(lanes).to_have_count(2)
    await expect(lanes.nth(0)).to_contain_text(chain.PODS)
    await expect(lanes.nth(1)).to_contain_text(chain.METRICS)
    await tab.page.set_viewport_size({"width": 1400, "height": 900})
    pods, metrics = await tab.page.evaluate(LANES)
    assert metrics["top"] == pods["top"]
    assert metrics["left"] >= pods["left"] + pods["width"]
    await tab.page.set_viewport_size({"width": 390, "height": 900})
    pods, metrics = await tab.page.evaluate(LANES)
    assert metrics["left"] == pods["left"]
    assert metrics["top"] > pods["top"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 900, 1500])
async def test_axe_finds_nothing_in_lanes(tab: Tab, new_session: NewSession, scheme: Any, width: int) -> None:
    await tab.page.emulate_media(color_scheme=scheme)
    await tab.page.set_viewport_size({"width": width, "height": 900})
    await show_with_styles(tab, live(told(new_session)))
    await tab.page.evaluate("() => { document.documentElement.lang = 'en'; document.title = 'a'; }")

    await expect(tab.page.locator(".lane")).to_have_count(2)
    # Nobody gives the session its title here.
    assert [one for one in await violations(tab.page) if not one.startswith("page-has-heading-one")] == []


async def test_more_than_three_lanes_scroll_by_themselves(tab: Tab) -> None:
    stage = {"type": "stage.status", "stage_id": "s", "stage_name": "look", "stage_index": 1, "status": "started",
             "error_message": None, "expected_agent_count": 5, "number": 2}  # fmt: skip
    agents = [
        {"type": "execution.status", "stage_id": "s", "execution_id": f"x{place}", "agent_name": f"Agent {place}",
         "agent_index": place, "status": "active", "error_message": None, "number": 2 + place}
        for place in range(1, 6)
    ]  # fmt: skip
    await tab.page.set_viewport_size({"width": 1600, "height": 900})
    await show_with_styles(tab, [stage, *agents])

    found = await tab.page.evaluate(
        """() => {
            const lanes = document.querySelector(".lanes"), root = document.documentElement;
            const [lane] = document.querySelectorAll(".lane");
            return [lanes.clientWidth / lane.offsetWidth, lanes.scrollWidth > lanes.clientWidth,
                root.scrollWidth > root.clientWidth];
        }"""
    )
    assert 3 <= found[0] < 3.4
    assert found[1:] == [True, False]


async def test_what_an_agent_says_before_it_is_known_goes_to_it_once_it_is(tab: Tab, new_session: NewSession) -> None:
    session = told(new_session, until=5)
    messages = live(session)
    early = LlmChunk(
        call_id="l", execution_id=execution_id(stage_id(session.id, 1), 2), run=1, index=0, part="text", text="Hm"
    )
    feed_ = Feed()
    streamed = [
        json.loads(one.text) for one in join_deltas(feed_.chunk(session.id, early, session.records[0][0].time, 5))
    ]

    before = await show(tab, [*messages, *streamed])
    session.add(*chain.whole_chain(session.id)[5:7])
    after = await feed(tab, live(session, feed_, since=5))

    assert before["loose"] == ["runbook", "llm_response"]
    assert after["loose"] == ["runbook"]
    assert after["groups"][0]["items"] == [[], ["llm_response"]]


async def test_the_text_of_a_call_that_failed_is_taken_away(tab: Tab, new_session: NewSession) -> None:
    session, feed_ = told(new_session, until=8), Feed()
    messages = live(session, feed_)
    call = chain.asked(session.id, 1, 1)
    chunk = LlmChunk(
        call_id=call.llm_call_id, execution_id=call.execution_id, run=1, index=0, part="text", text="half a sen"
    )
    messages += [
        json.loads(one.text) for one in join_deltas(feed_.chunk(session.id, chunk, session.records[0][0].time, 8))
    ]

    before = await show(tab, messages)
    session.add(chain.failed(call, "rate_limit", "429", retryable=True))
    after = await feed(tab, live(session, feed_, since=8))

    assert before["groups"][0]["items"][0] == ["llm_response"]
    assert after["groups"][0]["items"][0] == ["error quiet"]
    assert "half a sen" not in await tab.page.inner_text("main")


async def test_a_runbook_that_cannot_be_fetched_says_why(tab: Tab, new_session: NewSession) -> None:
    session = told(new_session, until=2)
    call = [*chain.runbook(session.id, "unavailable", "404 Not Found")]
    session.add(call[0])
    await show(tab, live(session))
    fetching = await tab.page.inner_text(".item[data-type=runbook]")
    session.add(*call[1:])
    await feed(tab, live(session, since=3))
    failed = await tab.page.inner_text(".item[data-type=runbook]")

    assert "Fetching …" in fetching
    assert chain.RUNBOOK_URL in failed
    assert "It could not be fetched, so the agents use the default one: 404 Not Found" in failed


async def test_tools_that_a_model_refuses_are_told_among_the_conclusions(tab: Tab, new_session: NewSession) -> None:
    session = told(new_session, until=9)
    shorter = chain.asked(session.id, 1, 2, 2).model_copy(update={"shortened": e.Shortening(results_left_out=2)})
    without = chain.asked(session.id, 1, 1, 2).model_copy(update={"tools_left_out": ("k8s__exec",)})
    session.add(without, shorter)
    await show(tab, live(session))

    found = tab.page.locator(".item[data-type=llm_limit]")

    assert [await one.get_attribute("data-level") for one in await found.all()] == ["conclusion", "step"]
    assert "Model limit" in (first := await found.first.inner_text())
    assert "gemini does not take these tools: k8s__exec. The agent goes on without them." in first


async def test_without_an_executive_summary_the_page_says_why(tab: Tab, new_session: NewSession) -> None:
    session = told(new_session, until=31)
    session.add(e.SessionCompleted(final_analysis=chain.ADVICE, executive_summary_error="quota"))

    found = await show(tab, live(session))

    assert found["summary"] == "There is no executive summary: quota"


async def test_a_session_of_before_chains_is_shown_as_ever(tab: Tab, story: Story) -> None:
    """Its messages, and an older timeline's, have none of the facts."""
    known = {"type", "session_id", "timestamp", "number", "stage_id", "stage_name", "stage_index", "status",
             "error_message", "execution_id", "agent_name", "agent_index", "event_id", "event_type", "content",
             "metadata", "sequence_number", "final_analysis"}  # fmt: skip
    messages = [{name: one[name] for name in one if name in known} for one in live(story())]

    found = await show(tab, messages)

    assert found["groups"] == [
        {
            "name": "look", "about": "", "lanes": [], "under": [],
            "items": [["llm_thinking", "llm_tool_call", "mcp_tool_summary"]],
        }
    ]  # fmt: skip
    assert (found["loose"], found["summary"]) == ([], None)


async def test_a_session_that_waits_says_its_place_until_it_begins(tab: Tab) -> None:
    detail = {
        "title": "", "alert_type": "crash", "queue_position": 2, "alert_data": "",
        "created_at": "2026-11-22T10:00:00Z", "started_at": None,
    }  # fmt: skip
    page = tab.page

    async def told(status: str, number: int, seconds: int) -> tuple[bool, bool, str]:
        message = {"type": "session.status", "status": status, "number": number,
                   "timestamp": f"2026-11-22T10:00:{seconds:02}Z"}  # fmt: skip
        await page.evaluate("(messages) => window.feed(messages)", [message])
        cancel = page.get_by_role("button", name="Cancel", exact=True)
        return await page.locator(".queue").is_visible(), await cancel.count() == 1, await page.inner_text(".took")

    await page.evaluate(SHOW_SESSION, [ASSETS, "a", detail, []])

    assert await told("pending", 1, 0) == (True, True, "")
    assert await page.inner_text(".queue") == "Waiting for its turn: 2nd in queue."
    assert (await told("in_progress", 2, 5))[:2] == (False, True)
    assert await told("completed", 9, 9) == (False, False, "4 s")


async def test_the_latest_word_of_a_running_call_stands_beside_it_until_it_ends(tab: Tab, story: Story) -> None:
    session, feed = story(), Feed()
    live = [[json.loads(one.text) for one in feed.event(session.recorded(number))] for number in range(1, 9)]
    [call] = [one["event_id"] for one in live[5] if one["type"] == "timeline_event.created"]

    def word(run: int, index: int, text: str) -> Message:
        return {"type": "stream.progress", "event_id": call, "run": run, "index": index, "text": text, "number": None}

    async def shown() -> list[str]:
        found: list[str] = await tab.page.evaluate(
            """() => [...document.querySelectorAll("details.call .progress")].filter((one) => one.offsetHeight > 0)
                .map((one) => one.textContent)"""
        )
        return found

    await show(tab, [word(1, 0, "too early"), *(one for some in live[:7] for one in some)])
    assert await shown() == []
    await tab.page.evaluate("(more) => window.feed(more)", [word(1, 0, "1 of 9"), word(1, 1, "<b>2</b> of 9")])
    assert await shown() == ["<b>2</b> of 9"]
    await tab.page.evaluate("(more) => window.feed(more)", [word(1, 0, "1 of 9"), {"type": "again"}])
    assert await shown() == ["<b>2</b> of 9"]
    await tab.page.evaluate("(more) => window.feed(more)", [word(2, 0, "0 of 9")])
    assert await shown() == ["0 of 9"]
    await tab.page.evaluate("(more) => window.feed(more)", [*live[7], word(2, 1, "too late")])
    assert await shown() == []


def sending(session: str) -> list[e.Event]:
    """One agent has sent two others, and one of those a third."""
    stage = chain.first_stage(session).model_copy(update={"expected_agent_count": 1, "parallel_type": None})
    lead = chain.started(session, 1, 1, agent("Lead"))
    logs = sent_by(lead, chain.started(session, 1, 2, agent("Logs")), "errors in shop")
    pods = sent_by(lead, chain.started(session, 1, 3, agent("Pods")), "restarts in shop")
    deep = sent_by(logs, chain.started(session, 1, 4, agent("Deep")), "the first error")
    said = [(chain.asked(session, 1, index), f"{index} looks.") for index in range(1, 5)]
    answers = [event for asked, words in said for event in (asked, chain.answered(asked, words))]
    return [chain.begun(), stage, lead, logs, pods, deep, *answers]


def sent_by(sender: e.ExecutionStarted, started: e.ExecutionStarted, task: str) -> e.ExecutionStarted:
    return started.model_copy(update={"parent_execution_id": sender.execution_id, "task": task})


async def test_sub_agents_stand_below_the_agent_that_sent_them_and_each_is_shown_alone(
    tab: Tab, new_session: NewSession
) -> None:
    session = new_session()
    session.add(*sending(session.id))
    await show_with_styles(tab, live(session))
    lanes = tab.page.get_by_role("group", name="Sub-agents of Lead", exact=True)
    await expect(lanes.locator(":scope > .lane > h4 .name")).to_have_text(["Logs", "Pods"])
    await expect(lanes.locator(":scope > .lane > .task")).to_have_text(["errors in shop", "restarts in shop"])
    below = lanes.get_by_role("group", name="Sub-agents of Logs", exact=True)
    await expect(below.locator(".lane > h4 .name")).to_have_text(["Deep"])
    await tab.page.evaluate("() => { document.documentElement.lang = 'en'; document.title = 'a'; }")
    assert [one for one in await violations(tab.page) if not one.startswith("page-has-heading-one")] == []
    await tab.page.locator(".stages").get_by_role("link", name="Logs", exact=True).click()
    for words, is_shown in (("1 looks.", False), ("2 looks.", True), ("3 looks.", False), ("4 looks.", True)):
        await expect(tab.page.locator(".groups").get_by_text(words)).to_be_visible(visible=is_shown)
