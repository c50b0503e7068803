"""How sure an analysis is, on the page, in Chromium: what of its text counts, and how it is shown."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.async_api import expect

from tarsy_contracts import events as e
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene, retold
from tarsy_testing.browser.styled_page import add_styles

pytestmark = pytest.mark.asyncio(loop_scope="session")


type NewSession = Callable[[], Any]


@pytest.fixture
def scene_of(tab: Tab, story: NewSession, new_session: NewSession) -> Callable[[str], Scene]:
    """The story with another analysis."""

    def concluding(event: e.Event, analysis: str) -> e.Event:
        if isinstance(event, e.SessionCompleted):
            return event.model_copy(update={"final_analysis": analysis, "executive_summary": "DNS."})
        return event

    return lambda analysis: Scene(tab, retold(story(), new_session(), partial(concluding, analysis=analysis)))


async def test_a_chain_that_is_only_the_default_is_a_warning_of_the_verdict(
    tab: Tab, scene_of: Callable[[str], Scene]
) -> None:
    scene = scene_of("It was DNS.")
    await scene.show(chain_id="others", chain_unmatched=True)
    await expect(tab.page.get_by_role("note")).to_contain_text(
        "No chain matched this alert, so the default investigated it: others"
    )
    await scene.show(chain_id="others", chain_unmatched=False)
    await expect(tab.page.get_by_role("note")).to_have_count(0)


@pytest.mark.parametrize(
    ("level", "tone", "title"),
    [
        ("high", "good", "High confidence"),
        ("medium", "warning", "Medium confidence"),
        ("low", "bad", "Low confidence"),
    ],
)
async def test_it_stands_above_the_analysis_with_its_reason_and_its_citation(
    tab: Tab, scene_of: Callable[[str], Scene], level: str, tone: str, title: str
) -> None:
    await add_styles(tab.page)
    await scene_of(f"It was **DNS**.\n\nConfidence: {level} - seen twice [call 1].").show()
    shown = tab.page.get_by_role("region", name=title)
    await expect(shown).to_have_attribute("data-tone", tone)
    await expect(shown.locator(".markdown")).to_have_text("seen twice [call 1].")
    await expect(tab.page.locator(".analysis .markdown")).to_have_text("It was DNS.")


async def test_a_partial_analysis_says_why_and_is_amber_however_sure_it_is(
    tab: Tab, story: NewSession, new_session: NewSession
) -> None:
    def ending(event: e.Event) -> e.Event:
        if not isinstance(event, e.SessionCompleted):
            return event
        found = {"final_analysis": "It was DNS.\n\nConfidence: high", "partial_reason": "the context is full"}
        return event.model_copy(update=found)

    await add_styles(tab.page)
    await Scene(tab, retold(story(), new_session(), ending)).show()
    await expect(tab.page.get_by_role("region", name="Partial analysis")).to_contain_text("the context is full")
    await expect(tab.page.get_by_role("region", name="High confidence")).to_have_attribute("data-tone", "warning")
    await expect(tab.page.get_by_role("region", name="Final analysis")).to_have_attribute("data-tone", "warning")


async def test_an_analysis_that_does_not_say_it_is_said_to_be_so(tab: Tab, scene_of: Callable[[str], Scene]) -> None:
    await add_styles(tab.page)
    await scene_of("It was **DNS**.").show()
    await expect(tab.page.locator(".verdict")).to_contain_text("The analysis does not say how sure it is.")
    await expect(tab.page.locator(".confidence")).to_have_count(0)


async def test_a_session_with_limited_evidence_is_amber_and_says_what_it_lacked(
    tab: Tab, story: NewSession, new_session: NewSession
) -> None:
    limit = "Logs has no tools of the MCP server loki: it lists none."

    def limited(event: e.Event) -> e.Event:
        if isinstance(event, e.SessionCompleted):
            return event.model_copy(update={"evidence_limits": (limit,), "final_analysis": "DNS.\n\nConfidence: high"})
        return event

    await add_styles(tab.page)
    await Scene(tab, retold(story(), new_session(), limited)).show()
    await expect(tab.page.get_by_role("region", name="Limited evidence")).to_contain_text(limit)
    await expect(tab.page.locator(".head .status")).to_have_attribute("data-tone", "warning")
    await expect(tab.page.locator(".confidence")).to_have_attribute("data-tone", "warning")
