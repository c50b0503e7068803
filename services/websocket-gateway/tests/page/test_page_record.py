"""The record of a session in Chromium, by what the API answers."""

import json
from collections.abc import Callable

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tarsy_contracts.api.trace import (
    ListedLlmInteraction,
    LlmInteraction,
    LlmRequestFacts,
    LlmResponseFacts,
    SessionTrace,
    TracedExecution,
    TracedMessage,
    TracedStage,
    TracedToolCall,
)
from tarsy_contracts.conversation import ToolDefinition
from tarsy_testing.browser.axe import violations_in_both_schemes
from tarsy_testing.browser.browser import Tab, new_tab
from tarsy_testing.browser.page_api import PageApi, Problem
from tarsy_testing.real_servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)>"
SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
TRACE = f"GET /api/v1/sessions/{SESSION}/trace"
AT = "2026-11-22T10:00:00.000Z"
WIDTHS = (390, 820, 1440)
MANY = 400
SYSTEM = TracedMessage(role="system", content="You are an SRE.")
ALERT = TracedMessage(role="user", content=f"It crashes. {HOSTILE}")
ASKS = TracedMessage(
    role="assistant",
    content="I look at the log.",
    tool_calls=(TracedToolCall(id="call-1-of-it", name="k8s__pods_log", arguments={"pod": "api-7"}),),
)
RESULT = TracedMessage(
    role="tool", content="line\n" * 4_000, tool_call_id="call-1-of-it", tool_name="k8s__pods_log", is_error=True
)
SHORTENED = RESULT.model_copy(update={"content": "It restarts."})
DONE = TracedMessage(role="assistant", content="It was memory.")
TOOL = ToolDefinition(name="k8s__pods_log", description=HOSTILE, input_schema={"type": "object"})


def listed(id: str, steps: tuple[str, ...] = (), *, error: str | None = None) -> ListedLlmInteraction:
    counts = (None, None, None) if error else (1_000, 200, 1_200)
    return ListedLlmInteraction(
        id=id, interaction_type="iteration", llm_provider="gemini", model_name="" if error else "gemini-3.7",
        input_tokens=counts[0], output_tokens=counts[1], total_tokens=counts[2], thinking_tokens=None,
        cached_input_tokens=None if error else 600, cache_written_tokens=None, duration_ms=None if error else 1_500,
        error_message=error, created_at=AT, timeline_event_ids=steps,
    )  # fmt: skip


def asked(
    one: ListedLlmInteraction, *conversation: TracedMessage, answer: TracedMessage | None = None
) -> LlmInteraction:
    return LlmInteraction(
        **dict(one), execution_id="e", tool_call_id=None, thinking_content="hm" if answer else None,
        llm_request=LlmRequestFacts(
            iteration=1, attempt=1, messages_count=len(conversation), tools_count=1, native_tools=(),
            answer_tokens=None, is_last=False,
        ),
        llm_response=LlmResponseFacts(text_length=3, tool_calls_count=1) if answer else None,
        conversation=conversation, tools=(TOOL,), answer=answer, request_digest="d", verified=True, missing=None,
    )  # fmt: skip


def trace_of(*calls: ListedLlmInteraction) -> SessionTrace:
    execution = TracedExecution(
        execution_id="e", agent_name=f"Pods {HOSTILE}", llm_interactions=calls, mcp_interactions=()
    )
    stage = TracedStage(
        stage_id="s", stage_name="look", stage_type="investigation", referenced_stage_id=None, executions=(execution,)
    )
    return SessionTrace(
        session_id=SESSION, last_number=9, complete=True, stages=(stage,), session_interactions=(),
        session_mcp_interactions=(),
    )  # fmt: skip


FIRST = listed("l1", ("thought-1", "answer-1"))
FAILED = listed("l2", ("error-2",), error="overloaded")
THIRD = listed("l3", ("answer-3",))


@pytest.fixture
def api() -> PageApi:
    return PageApi(
        {
            TRACE: trace_of(FIRST, FAILED, THIRD),
            f"{TRACE}/llm/l1": asked(FIRST, SYSTEM, ALERT, answer=ASKS),
            f"{TRACE}/llm/l2": asked(FAILED, SYSTEM, ALERT, ASKS, RESULT),
            f"{TRACE}/llm/l3": asked(THIRD, SYSTEM, ALERT, ASKS, SHORTENED, DONE, answer=DONE),
        }
    )


@pytest.fixture
def tab(api_tab: Tab) -> Tab:
    return api_tab


def call(page: Page, number: int) -> Locator:
    return page.locator("details.record-call").nth(number)


async def open_call(page: Page, number: int) -> Locator:
    found = call(page, number)
    await found.locator("> summary").click()
    await expect(found.locator(".record-contents")).to_be_visible()
    return found


async def test_each_question_has_a_line_and_nothing_of_it_is_fetched_until_it_is_opened(api: PageApi, tab: Tab) -> None:
    await tab.page.goto(f"/sessions/{SESSION}/record")
    await expect(call(tab.page, 0).locator("summary")).to_contain_text("gemini-3.7 (gemini)")
    await expect(call(tab.page, 0).locator("summary")).to_contain_text("1,000 in (600 from cache), 200 out")
    await expect(call(tab.page, 0).locator("summary")).to_contain_text("1.5 s")
    await expect(call(tab.page, 1).locator("summary")).to_contain_text("overloaded")
    await expect(tab.page.locator("h3")).to_have_text(f"Pods {HOSTILE}")
    assert [one.act for one in api.asked if "/llm/" in one.act] == []

    opened = await open_call(tab.page, 0)
    assert [one.act for one in api.asked if "/llm/" in one.act] == [f"{TRACE}/llm/l1"]
    await expect(opened.locator(".messages .name")).to_have_text(["System", "User"])
    await expect(opened.locator("pre")).to_contain_text(["I look at the log.", '"pod": "api-7"'])
    await expect(opened.get_by_role("link", name="Result")).to_have_attribute(
        "href", f"/sessions/{SESSION}?result=call-1-of-it"
    )
    await opened.locator(".messages summary").nth(1).click()
    await expect(opened.locator(".messages pre")).to_have_text(ALERT.content)
    await opened.get_by_text("1 tool offered").click()
    await opened.locator(".offered summary").click()
    await expect(opened.locator(".offered p")).to_have_text(HOSTILE)


async def test_what_is_as_before_is_folded_and_what_is_new_or_changed_is_marked(api: PageApi, tab: Tab) -> None:
    await tab.page.goto(f"/sessions/{SESSION}/record")
    second = await open_call(tab.page, 1)
    await expect(second.get_by_text("2 unchanged messages")).to_be_visible()
    await expect(second.get_by_text("2 new messages")).to_be_visible()
    await expect(second.locator(".messages > li[data-kind=new]")).to_have_count(2)
    await expect(second.locator("li[data-kind=new] pre").last).to_contain_text("line\nline")
    await expect(second.get_by_role("button", name="Show more (12,000 characters left)")).to_be_visible()

    third = await open_call(tab.page, 2)
    await expect(third.get_by_text("3 unchanged messages")).to_be_visible()
    changed = third.locator(".messages > li[data-kind=changed]")
    await expect(changed.locator("pre")).to_have_text("It restarts.")
    await changed.get_by_text("Before the change").click()
    await expect(changed.locator("pre").last).to_contain_text("line\nline")
    assert sorted(one.act[-2:] for one in api.asked if "/llm/" in one.act) == ["l1", "l2", "l3"]


async def test_a_step_of_the_story_leads_to_its_question_and_back(api: PageApi, tab: Tab) -> None:
    await tab.page.goto(f"/sessions/{SESSION}/record#event-answer-3")
    third = call(tab.page, 2)
    await expect(third.locator(".record-contents")).to_be_visible()
    await expect(tab.page.locator("details.record-call[open]")).to_have_count(1)
    link = third.get_by_role("link", name="Show in the timeline")
    await expect(link).to_have_attribute("href", f"/sessions/{SESSION}#event-answer-3")


async def test_messages_and_calls_are_copied(browser: Browser, address: str, api: PageApi) -> None:
    async with new_tab(browser, address, permissions=["clipboard-read", "clipboard-write"]) as tab:
        await api.install(tab.page)
        await tab.page.goto(f"/sessions/{SESSION}/record")
        opened = await open_call(tab.page, 0)
        await opened.get_by_role("button", name="Copy as JSON").click()
        await until_copied(tab.page, lambda text: text[:1] == "{" and json.loads(text)["id"] == "l1")
        await opened.get_by_role("button", name="Copy the message: Model").click()
        message = 'I look at the log.\n\nk8s__pods_log {\n  "pod": "api-7"\n}'
        await until_copied(tab.page, lambda text: text == message)


async def until_copied(page: Page, is_it: Callable[[str], bool]) -> None:
    """A button is pressed before the clipboard has its text."""
    text = ""

    async def look() -> bool:
        nonlocal text
        text = await page.evaluate("navigator.clipboard.readText()")
        return is_it(text)

    await eventually(look, lambda: f"{text!r} is what was to be copied")


async def test_a_record_of_four_hundred_questions_is_drawn_gradually(api: PageApi, tab: Tab) -> None:
    api.answers[TRACE] = trace_of(*(listed(f"l{number}", (f"step-{number}",)) for number in range(MANY)))
    await tab.page.goto(f"/sessions/{SESSION}/record")
    await expect(tab.page.locator("details.record-call")).to_have_count(MANY)
    assert len([one for one in api.asked if "/trace" in one.act]) == 1


async def test_what_cannot_be_shown_is_said(api: PageApi, tab: Tab) -> None:
    api.answers[f"{TRACE}/llm/l1"] = Problem(410, "The log no longer keeps it.")
    await tab.page.goto(f"/sessions/{SESSION}/record")
    await call(tab.page, 0).locator("> summary").click()
    await expect(call(tab.page, 0).locator(".notice")).to_have_text("The log no longer keeps it.")
    api.answers[TRACE] = Problem(422, "The events are too large.")
    await tab.page.get_by_role("button", name="Reload").click()
    await expect(tab.page.locator(".record > .notice")).to_have_text("The events are too large.")
    api.answers[TRACE] = trace_of()
    await tab.page.get_by_role("button", name="Reload").click()
    await expect(tab.page.locator(".record > .notice")).to_have_text("No model has been asked yet.")


async def test_the_record_is_accessible_at_every_width(browser: Browser, address: str, api: PageApi) -> None:
    broken: list[str] = []
    for width in WIDTHS:
        viewport = {"width": width, "height": 900}
        async with new_tab(browser, address, viewport=viewport) as tab:
            await api.install(tab.page)
            await tab.page.goto(f"/sessions/{SESSION}/record#event-answer-3")
            await expect(call(tab.page, 2).locator(".record-contents")).to_be_visible()
            await open_call(tab.page, 0)
            await call(tab.page, 2).locator(".fold > summary").first.click()
            broken += [f"{width}: {one}" for one in await violations_in_both_schemes(tab.page)]
            assert await tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert broken == [], "\n".join(broken)
