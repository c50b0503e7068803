"""The chat as the page shows it, in Chromium: the views are fed with what the gateway sends."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import expect

from tarsy_contracts import events as e
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene
from tarsy_testing.story.reply import Exchange

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> [here](javascript:alert(3)) ![p](https://evil.example/p)"
)

type Story = Callable[[], Any]


@pytest.fixture
def scene(tab: Tab, story: Story) -> Scene:
    return Scene(tab, story())


INVESTIGATION = ["llm_thinking", "llm_response", "llm_tool_call", "mcp_tool_summary", "final_analysis"]
REPLY = [
    ["llm_thinking", "completed", "I look at the restarts."],
    ["llm_tool_call", "completed", "k8s.events"],
    ["llm_response", "completed", "Since 03:00."],
]


async def test_questions_and_replies_stand_below_the_timeline_in_turns(scene: Scene) -> None:
    first = Exchange(scene.session.id)
    second = Exchange(scene.session.id, number=2, stage=3, author="bob", content="And now?")
    await scene.show()
    before = await scene.read()
    await scene.add(*first.whole(), *second.whole())
    shown = await scene.read()

    assert before["turns"] == []
    assert (shown["stages"], shown["timeline"]) == (before["stages"], before["timeline"])
    assert shown["turns"] == [
        {"asked": ["ann"], "items": REPLY, "end": None},
        {"asked": ["bob"], "items": REPLY, "end": None},
    ]
    questions = scene.tab.page.locator(".item[data-type=user_question]")
    await expect(questions.locator(".text")).to_have_text(["Since when?", "And now?"])
    assert await questions.first.locator("time").get_attribute("datetime") == "2026-11-22T10:00:15.000Z"
    await expect(scene.tab.page.locator(".turn strong").first).to_have_text("03:00")
    await scene.feed([{"type": "again"}])
    assert await scene.read() == shown
    assert await scene.reload() == shown


async def test_a_reply_streams_and_is_drawn_once_wherever_a_page_comes(scene: Scene) -> None:
    exchange = Exchange(scene.session.id)
    await scene.show()
    await scene.add(*exchange.begun(), *exchange.looked())
    await scene.stream(exchange, 0, "Since ")
    await scene.stream(exchange, 1, "**03")
    [streaming] = (await scene.read())["turns"]
    assert streaming["items"] == [*REPLY[:2], ["llm_response", "streaming", "Since **03"]]
    assert streaming["end"] == ["Running", ""]

    await scene.add(*exchange.answered())
    [whole] = (await scene.read())["turns"]
    assert whole["items"] == REPLY
    assert (await scene.reload())["turns"] == [whole]


async def test_a_reply_that_says_what_the_investigation_said_is_shown(scene: Scene) -> None:
    await scene.show()
    await scene.add(*Exchange(scene.session.id, answer="It was DNS.").whole())

    [turn] = (await scene.read())["turns"]

    assert turn["items"][-1] == ["llm_response", "completed", "It was DNS."]


async def test_an_answer_that_no_response_ends_with_is_shown_itself(scene: Scene) -> None:
    exchange = Exchange(scene.session.id)
    await scene.show()
    *_, ended, stage, reply = exchange.answered()
    await scene.add(*exchange.begun(), ended, stage, reply)

    [turn] = (await scene.read())["turns"]

    assert turn["items"] == [["final_analysis", "completed", "Since 03:00."]]


@pytest.mark.parametrize(
    ("status", "word"), [("failed", "Failed"), ("cancelled", "Cancelled"), ("timed_out", "Timed out")]
)
async def test_a_reply_that_came_to_nothing_says_why(scene: Scene, status: Any, word: str) -> None:
    exchange = Exchange(scene.session.id)
    await scene.show()
    await scene.add(*exchange.begun(), *exchange.looked())
    await scene.stream(exchange, 0, "Since")
    await scene.add(*exchange.ended(status, "no such key"))

    [turn] = (await scene.read())["turns"]

    assert turn["items"] == REPLY[:2], "what streamed is taken back"
    assert turn["end"] == [word, "no such key"]


async def test_what_people_wanted_after_a_question_stands_in_its_turn(scene: Scene) -> None:
    exchange = Exchange(scene.session.id)
    early = e.RequestRefused(request_id="r1", request=e.CHAT, author="eve", code=400, reason="chat is switched off")
    late = e.RequestRefused(request_id="r2", request=e.CHAT, author="bob", code=409, reason="a reply is being written")
    accepted = e.RequestAccepted(request_id="r3", request=e.CANCEL_REPLY, author="ann")
    await scene.show()
    await scene.add(early, *exchange.begun(), late, accepted, *exchange.ended("cancelled", "cancelled by ann"))
    shown = await scene.read()

    assert shown["timeline"][0] == "request"
    assert [text for kind, _, text in shown["turns"][0]["items"] if kind == "request"] == [
        "bob asked: chat. Refused: a reply is being written",
        "ann asked: cancel reply.",
    ]
    assert await scene.reload() == shown


async def test_hostile_words_of_people_are_text(scene: Scene) -> None:
    await scene.show()
    await scene.add(*Exchange(scene.session.id, content=HOSTILE, author=HOSTILE, answer=HOSTILE).whole())
    question = scene.tab.page.locator(".item[data-type=user_question]")

    assert await question.locator(".text").text_content() == HOSTILE
    assert await question.locator(".author").text_content() == HOSTILE
    assert await question.locator("a, b, strong").count() == 0
    assert await scene.tab.page.locator("main :is(script, img, iframe, style, object)").count() == 0
    links = await scene.tab.page.locator("main .body .markdown a").evaluate_all(
        "nodes => nodes.map((one) => one.getAttribute('href'))"
    )
    assert links == ["https://evil.example/p"], "the answer is Markdown, and a picture of it a link"


async def test_a_long_question_says_that_the_rest_is_not_shown(scene: Scene) -> None:
    await scene.show()
    await scene.add(*Exchange(scene.session.id, content="a line\n" * 14_000).asked())

    await expect(scene.tab.page.get_by_text("The rest is not shown here.")).to_be_visible()
