"""Citations on the page, in Chromium: a claim of a text leads to the call that it came from."""

from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from tarsy_contracts import events as e
from tarsy_contracts.native_calls import NativeCall, WebSource
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene, retold
from tarsy_testing.browser.styled_page import add_styles
from tarsy_testing.story.reply import Exchange

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANALYSIS = (
    "It was DNS [call 1]. It is over [call 1, call 9].\n\n"
    "`[call 1]` [calls 1] [Call 2] [call 1](https://evil.example/) [see [call 1]](https://example.com/)\n\n"
    "[call 1]: https://evil.example/"
)

SEARCH = NativeCall(
    tool="google_search",
    queries=("dns fails",),
    sources=(
        WebSource(url="https://k8s.example/dns", title="<b>DNS</b>", number=1),
        WebSource(url="javascript:alert(1)", title="Evil", number=2),
    ),
)

type NewSession = Callable[[], Any]


@pytest_asyncio.fixture(loop_scope="session")
async def scene(tab: Tab, story: NewSession, new_session: NewSession) -> Scene:
    await add_styles(tab.page)
    return Scene(tab, retold(story(), new_session(), with_citations))


def with_citations(event: e.Event) -> e.Event:
    """A call that has a number, and an analysis that cites it."""
    match event:
        case e.ToolCallRequested():
            return event.model_copy(update={"number": 1, "arguments": {"namespace": "shop"}})
        case e.LlmCallCompleted():
            return event.model_copy(update={"native_calls": (SEARCH,)})
        case e.SessionCompleted():
            return event.model_copy(update={"final_analysis": ANALYSIS, "executive_summary": "DNS [call 1]."})
        case _:
            return event


def links(scene: Scene, place: str = ".analysis") -> Locator:
    return scene.tab.page.locator(f"{place} .citation a")


async def test_a_citation_is_a_link_that_names_tool_arguments_and_time(scene: Scene) -> None:
    await scene.show()
    first = links(scene).first

    await expect(links(scene, ".executive")).to_have_count(1)
    title = await first.get_attribute("title") or ""
    assert title.startswith("call 1: k8s.pods(namespace=shop), ")
    assert await first.get_attribute("aria-label") == title
    await expect(scene.tab.page.locator(".analysis p").first).to_have_text(
        "It was DNS [call 1]. It is over [call 1, call 9]."
    )
    await expect(links(scene)).to_have_count(4)


async def test_other_forms_stay_text_and_no_link_of_the_text_has_the_form_of_a_citation(scene: Scene) -> None:
    await scene.show()
    forms = scene.tab.page.locator(".analysis p").nth(1)

    await expect(forms).to_have_text(
        "[call 1] [calls 1] [Call 2] [call 1](https://evil.example/) [see [call 1]](https://example.com/)"
    )
    addresses = [await one.get_attribute("href") for one in await forms.locator("a").all()]
    assert addresses == [f"#event-{await call_id(scene)}"] * 2


async def call_id(scene: Scene) -> str:
    id = await scene.tab.page.locator(".timeline .item[data-type=llm_tool_call]").first.get_attribute("id") or ""
    return id.removeprefix("event-")


async def test_a_click_leads_to_the_step_and_opens_it_each_time(scene: Scene) -> None:
    await scene.show()
    page = scene.tab.page
    step = page.locator(".timeline .item[data-type=llm_tool_call]").first
    await page.get_by_role("button", name="Conclusions").click()
    await expect(step).to_be_hidden()
    for _ in range(2):
        await links(scene).first.click()
        await expect(step).to_have_attribute("data-marked", "")
        await expect(step.locator("details.call")).to_have_attribute("open", "")
        await expect(step.locator("summary").first).to_be_focused()
        await expect(step.locator(".inside")).to_contain_text("shop")
        await step.locator("summary").first.click()
        await expect(step.locator("details.call")).not_to_have_attribute("open", "")


async def test_a_step_that_is_not_drawn_yet_opens_once_it_is(scene: Scene) -> None:
    history = scene.live(0)
    [cited] = {one["event_id"] for one in history if one.get("event_type") == "llm_tool_call"}
    await scene.show_only([one for one in history if one["type"] == "session.status"])
    await scene.tab.page.evaluate("(id) => { store.followed.value = { id }; }", cited)
    await scene.feed(history)
    step = scene.tab.page.locator(".timeline .item[data-type=llm_tool_call]")
    await expect(step.locator("details.call")).to_have_attribute("open", "")
    await expect(step.locator("summary").first).to_be_focused()


async def test_a_text_that_comes_before_its_calls_becomes_links_with_them(scene: Scene) -> None:
    await scene.show_only([one for one in scene.live(0) if one["type"] == "session.status"])
    await expect(scene.tab.page.locator(".analysis .citation").first).to_have_text("[call 1]")
    await expect(links(scene)).to_have_count(0)
    await scene.feed(scene.live(0))
    await expect(links(scene)).to_have_count(4)


async def test_a_reply_cites_calls_of_the_investigation_and_its_own(scene: Scene) -> None:
    exchange = Exchange(scene.session.id, answer="Since 03:00 [call 2], as it was [call 1].")
    await scene.show()
    whole = [
        one.model_copy(update={"number": 2}) if isinstance(one, e.ToolCallRequested) else one
        for one in exchange.whole()
    ]
    await scene.add(*whole)

    await expect(links(scene, ".turn")).to_have_count(2)
    await links(scene, ".turn").first.click()
    await expect(scene.tab.page.locator(".turn details.call")).to_have_attribute("open", "")


async def test_copied_markdown_lists_the_calls_and_an_export_numbers_them(scene: Scene) -> None:
    await scene.show()
    verdict, whole = await scene.tab.page.evaluate(
        """async (assets) => {
            const { citedVerdictText, sessionText } = await import(`${assets}/words/verdict_text.js`);
            return [citedVerdictText(store.session, null), sessionText(store.session, null)];
        }""",
        scene.assets,
    )
    assert "It was DNS [call 1]." in verdict
    assert "\n## Calls\n\n- call 1: k8s.pods(namespace=shop), 2026-11-22T10:00:0" in verdict
    assert "call 9:" not in verdict
    assert "\n\n[call 1] k8s.pods(namespace=shop): ok" in whole


async def test_what_others_wrote_cites_nothing(scene: Scene) -> None:
    """A runbook, or the result of a tool, may have the form of a citation."""
    await scene.show()
    await scene.add(
        e.ToolCallRequested(
            call_id="r", execution_id="", llm_call_id="", server="tarsy", tool="fetch_runbook", repeatable=True,
            arguments={"url": "https://example.com/r.md"}, timeout_seconds=60, purpose="runbook",
        ),
    )  # fmt: skip
    html: str = await scene.tab.page.evaluate(
        """async (assets) => {
            const { html, render } = await import(`${assets}/ui.js`);
            const { RunbookBody } = await import(`${assets}/views/runbook.js`);
            const { CitedSession } = await import(`${assets}/views/citation.js`);
            const place = document.createElement("div");
            const item = { metadata: {}, status: "completed", content: "Look [call 1]." };
            render(html`<${CitedSession.Provider} value=${store}><${RunbookBody} item=${item} /><//>`, place);
            place.querySelector("details").open = true;
            await new Promise((done) => setTimeout(done));
            while (!place.querySelector(".markdown")) await new Promise(requestAnimationFrame);
            return place.querySelector(".markdown").innerHTML;
        }""",
        scene.assets,
    )
    assert html == "<p>Look [call 1].</p>"


async def test_a_source_is_a_link_to_its_page_and_only_to_the_web(
    tab: Tab, story: NewSession, new_session: NewSession
) -> None:
    await add_styles(tab.page)

    def with_sources(event: e.Event) -> e.Event:
        told = with_citations(event)
        text = "It was DNS [source 1]. Not that [source 2, source 9]."
        return told.model_copy(update={"final_analysis": text}) if isinstance(told, e.SessionCompleted) else told

    scene = Scene(tab, retold(story(), new_session(), with_sources))
    await scene.show()
    cited = links(scene)
    await expect(cited).to_have_count(1)
    assert await cited.get_attribute("href") == "https://k8s.example/dns"
    assert "noopener" in (await cited.get_attribute("rel") or "")
    await expect(tab.page.locator(".analysis p").first).to_have_text(
        "It was DNS [source 1]. Not that [source 2, source 9]."
    )
    await expect(tab.page.locator(".analysis .sources li")).to_have_text(["source 1 <b>DNS</b>", "source 2 Evil"])
    await expect(tab.page.locator(".analysis .sources a")).to_have_count(1)
