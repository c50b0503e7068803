"""The field for questions on the page, in Chromium: what it sends to the API, and what it says of the answers."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Locator, Request, Route, expect

from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Message, Scene
from tarsy_testing.story.reply import Exchange

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Api:
    """The REST API, as it answers one browser. `asked`: what came; `answers`: what is answered, one after the other."""

    def __init__(self, *answers: tuple[int, Message] | None) -> None:
        self.asked: list[Request] = []
        self._answers = list(answers)

    async def take(self, route: Route) -> None:
        if route.request.method == "GET":  # what the page reads beside each session
            await route.fallback()
            return
        self.asked.append(route.request)
        answer = self._answers.pop(0)
        if answer is None:
            await route.abort("connectionfailed")
        else:
            await route.fulfill(status=answer[0], json=answer[1])

    @property
    def keys(self) -> list[str]:
        return [one.headers["idempotency-key"] for one in self.asked]

    @property
    def contents(self) -> list[str]:
        return [json.loads(one.post_data or "")["content"] for one in self.asked]


class Form:
    def __init__(self, scene: Scene) -> None:
        page = scene.tab.page
        self.scene = scene
        self.field = page.get_by_label("Ask the investigation")
        self.send = page.get_by_role("button", name="Ask")
        self.cancel = page.get_by_role("button", name="Cancel the reply")
        self.answer = page.locator(".asking .answer")
        self.closed = page.locator("#closed")

    async def show(self, *answers: tuple[int, Message] | None, chat_enabled: bool = True) -> Api:
        api, page = Api(*answers), self.scene.tab.page
        await page.unroute_all()
        await page.route("**/api/v1/sessions/**", api.take)
        await self.scene.show(chat_enabled=chat_enabled)
        return api


@pytest.fixture
def form(tab: Tab, story: Callable[[], Any]) -> Form:
    return Form(Scene(tab, story()))


def sent(*, accepted: bool = True, message_id: str = "m") -> tuple[int, Message]:
    return 202, {"accepted": accepted, "message_id": message_id}


def problem(status: int, detail: str) -> tuple[int, Message]:
    return status, {"title": "", "status": status, "detail": detail}


async def says(locator: Locator, text: str) -> None:
    await expect(locator).to_have_text(text)


async def test_enter_asks_and_shift_enter_begins_a_line(form: Form) -> None:
    api = await form.show(sent(), sent())
    await form.field.press_sequentially("Since when?")
    await form.field.press("Shift+Enter")
    await form.field.press_sequentially("And why?")
    await form.field.press("Enter")
    await expect(form.field).to_have_value("")
    await form.field.fill("Since when?\nAnd why?")
    await form.send.click()
    await expect(form.field).to_have_value("")

    assert [(one.method, one.url.partition("/sessions/")[2]) for one in api.asked] == [
        ("POST", f"{form.scene.session.id}/chat/messages")
    ] * 2
    assert api.contents == ["Since when?\nAnd why?"] * 2
    assert len(set(api.keys)) == 2, "the same words later are another question"
    await says(form.answer, "")


async def test_without_words_nothing_is_asked(form: Form) -> None:
    api = await form.show()
    for words in ("", "  \n "):
        await form.field.fill(words)
        await form.field.press("Enter")
        await form.send.click()

    assert api.asked == []


async def test_what_is_too_long_is_not_asked_and_stays(form: Form) -> None:
    api = await form.show(sent())
    await form.field.fill("\N{FIRE}" * 100_001)
    await form.send.click()
    await says(
        form.answer, "Not asked: a question has at most 100,000 characters, and this one has 100,001 characters."
    )
    assert (api.asked, len(await form.field.input_value())) == ([], 100_001)
    await form.field.fill("\N{FIRE}" * 100_000)
    await form.send.click()
    await expect(form.field).to_have_value("")


async def test_after_a_failure_of_the_network_the_same_words_are_the_same_question(form: Form) -> None:
    api = await form.show(None, problem(503, "Kafka is away."), sent())
    form.scene.tab.complaints.clear()
    await form.field.fill("Since when?")
    await form.field.press("Enter")
    await expect(form.answer).to_contain_text("Not asked: The server did not answer")
    await form.field.press("Enter")
    await says(form.answer, "Not asked: Kafka is away.")
    await expect(form.field).to_have_value("Since when?")
    await form.field.press("Enter")
    await expect(form.field).to_have_value("")

    assert len(set(api.keys)) == 1
    forget_failed_loads(form)


async def test_other_words_after_a_failure_are_another_question(form: Form) -> None:
    api = await form.show(None, sent())
    await form.field.fill("Since when?")
    await form.field.press("Enter")
    await expect(form.answer).to_contain_text("Not asked:")
    await form.field.fill("Until when?")
    await form.field.press("Enter")
    await expect(form.field).to_have_value("")

    assert len(set(api.keys)) == 2
    forget_failed_loads(form)


def forget_failed_loads(form: Form) -> None:
    """Chromium complains of each request that the server refused."""
    complaints = form.scene.tab.complaints
    complaints[:] = [one for one in complaints if "Failed to load resource" not in one]


@pytest.mark.parametrize(
    ("status", "detail"),
    [(400, "the session never ran"), (404, "there is no such session"), (409, "a reply is written")],
)
async def test_a_refusal_is_said_and_the_words_stay(form: Form, status: int, detail: str) -> None:
    api = await form.show(problem(status, detail), sent())
    await form.field.fill("Since when?")
    await form.field.press("Enter")
    await says(form.answer, f"Not asked: {detail}")
    await expect(form.field).to_have_value("Since when?")
    await form.field.press("Enter")
    await expect(form.field).to_have_value("")

    assert len(set(api.keys)) == 2, "it was decided: the same words are another question"
    forget_failed_loads(form)


async def test_a_question_that_nobody_has_answered_yet_stays_until_it_stands_in_the_chat(form: Form) -> None:
    exchange = Exchange(form.scene.session.id)
    api = await form.show(sent(accepted=False, message_id=exchange.message_id), sent(accepted=False))
    await form.field.fill("Since when?")
    for _ in range(2):
        await form.field.press("Enter")
        await expect(form.answer).to_contain_text("Your question was received.")
        await expect(form.field).to_have_value("Since when?")
    assert len(set(api.keys)) == 1


async def test_the_words_go_when_their_question_stands_in_the_chat(form: Form) -> None:
    exchange = Exchange(form.scene.session.id)
    await form.show(sent(accepted=False, message_id=exchange.message_id))
    await form.field.fill("Since when?")
    await form.field.press("Enter")
    await expect(form.answer).to_contain_text("Your question was received")
    await form.scene.add(*exchange.begun())

    await expect(form.field).to_have_value("")
    await says(form.answer, "")


async def test_while_a_reply_is_written_nobody_can_ask_and_it_can_be_cancelled(form: Form) -> None:
    exchange = Exchange(form.scene.session.id)
    granted = (200, {"message": "The reply is being cancelled."})
    api = await form.show(problem(409, "it has ended"), granted)
    await expect(form.cancel).to_be_hidden()
    await form.field.fill("And then?")
    await form.scene.add(*exchange.begun())
    await says(form.closed, "A reply is being written.")
    await expect(form.field).to_be_disabled()
    await expect(form.send).to_be_disabled()
    await form.cancel.click()
    await says(form.answer, "Not cancelled: it has ended")
    await form.cancel.click()
    await says(form.answer, "The reply is being cancelled.")
    await form.scene.add(*exchange.ended("cancelled", "cancelled by ann"))

    await expect(form.cancel).to_be_hidden()
    await expect(form.closed).to_be_hidden()
    await expect(form.field).to_be_enabled()
    await expect(form.field).to_have_value("And then?")
    await says(form.answer, "")
    assert {one.url.rpartition("/")[2] for one in api.asked} == {"cancel"}
    assert len(set(api.keys)) == 2
    forget_failed_loads(form)


async def test_who_was_writing_writes_on_after_the_reply(form: Form) -> None:
    exchange = Exchange(form.scene.session.id)
    await form.show()
    await form.field.focus()
    await form.scene.add(*exchange.begun())
    await expect(form.field).to_be_disabled()
    await form.scene.add(*exchange.looked(), *exchange.answered())

    await expect(form.field).to_be_focused()


async def test_where_chat_is_switched_off_the_page_says_so(form: Form) -> None:
    await form.show(chat_enabled=False)

    await says(form.closed, "Chat is switched off for this chain.")
    await expect(form.field).to_be_disabled()
    await expect(form.send).to_be_disabled()


async def test_an_investigation_that_runs_is_asked_when_it_has_ended(form: Form) -> None:
    session = form.scene.session
    ended = session.recorded(13).event
    session.records.pop()
    await form.show()
    await says(form.closed, "You can ask once the investigation has ended.")
    await expect(form.field).to_be_disabled()
    await form.scene.add(ended)

    await expect(form.closed).to_be_hidden()
    await expect(form.field).to_be_enabled()
