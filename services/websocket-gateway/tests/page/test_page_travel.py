"""Time travel and the waterfall in Chromium: a session as it was at its events, with answers made of a real log."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio
from played_session import Message, answer, messages
from playwright.async_api import Locator, Page, Route, WebSocketRoute, expect

from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_testing.browser.axe import violations
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_feed import LOAD_STYLES, SHOW_SESSION
from tarsy_testing.browser.styled_page import STYLES
from tarsy_timeline.record.replay import replay
from tarsy_timeline.record.session_trace import trace_of
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"


class Travel:
    """A session in the tab, with answers of the API that are made of its log."""

    def __init__(self, page: Page, log: Sequence[RecordedEvent]) -> None:
        self.page = page
        self.log = log
        self.known = log
        self.asked: list[int] = []
        self.status = 0
        self.projected = len(log)
        self.id = log[0].session_id
        self._socket: WebSocketRoute | None = None

    async def _past(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        number, at_least = int(address.path.rpartition("/")[2]), int(parse_qs(address.query)["at_least"][0])
        self.asked.append(number)
        if at_least > self.projected:
            await route.fulfill(status=503, json={"detail": "it is not projected yet"})
            return
        found = answer(self.known[: min(len(self.known), self.projected)], number)
        status = self.status or (200 if found is not None else 404)
        await route.fulfill(status=status, json=found if status == 200 else {"detail": "the log is away"})

    async def show(self, at: str = "", until: int | None = None) -> None:
        known = self.known = self.log[:until]
        await self.page.goto(f"/blank{at}")
        await self.page.evaluate(LOAD_STYLES, [f"{ASSETS}/{path}" for path in STYLES])
        await self.page.route("**/at/**", self._past)
        detail = answer(known, len(known))["session"]
        await self.page.evaluate(SHOW_SESSION, [ASSETS, self.id, detail, messages(known)])
        trace = trace_of(replay(known), self.id, len(known)).model_dump(mode="json")
        await self.page.evaluate("(trace) => { store.record.trace.value = trace; }", trace)

    async def open(self, number: int, until: int) -> None:
        """The whole page, at the address of a link."""
        self.known = self.log[:until]

        async def answer_api(route: Route) -> None:
            path = urlsplit(route.request.url).path
            if path == f"/api/v1/sessions/{self.id}":
                await route.fulfill(json=answer(self.known, len(self.known))["session"])
            elif path.endswith("/trace"):
                trace = trace_of(replay(self.known), self.id, len(self.known))
                await route.fulfill(json=trace.model_dump(mode="json"))
            else:
                await route.fulfill(status=404, json={"detail": "not here"})

        def connect(socket: WebSocketRoute) -> None:
            self._socket = socket
            socket.on_message(subscribe)
            socket.send(json.dumps({"type": "connection.established", "connection_id": "c"}))

        def subscribe(text: str | bytes) -> None:
            asked = json.loads(text)
            if asked["action"] == "subscribe" and asked["channel"] == f"session:{self.id}":
                self._send({"type": "subscription.confirmed", "channel": asked["channel"]}, *messages(self.known))

        await self.page.route("**/api/**", answer_api)
        await self.page.route("**/at/**", self._past)
        await self.page.route("**/login/available", lambda route: route.fulfill(json={"available": False}))
        await self.page.route_web_socket("**/api/v1/ws", connect)
        await self.page.goto(f"/sessions/{self.id}?at={number}")

    async def go_on(self) -> None:
        """Everything happens until the end."""
        before = len(messages(self.known))
        self.known = self.log
        self._send(*messages(self.log)[before:])

    def _send(self, *more: Message) -> None:
        assert self._socket is not None
        for message in more:
            self._socket.send(json.dumps(message))

    @property
    def slider(self) -> Locator:
        return self.page.get_by_role("slider", name="Moment shown")

    @property
    def bar(self) -> Locator:
        return self.page.locator(".travel-bar")


@pytest_asyncio.fixture(loop_scope="session")
async def travel(tab: Tab, log: Sequence[RecordedEvent]) -> AsyncIterator[Travel]:
    await tab.page.set_viewport_size({"width": 1280, "height": 900})
    yield Travel(tab.page, log)
    await tab.page.unroute_all(behavior="wait")
    # Chromium complains about the status of an answer, which is none of the page's faults.
    tab.complaints[:] = [one for one in tab.complaints if "Failed to load resource" not in one]


def first(log: Sequence[RecordedEvent], kind: str) -> int:
    return next(record.number for record in log if record.envelope.type == kind)


async def test_keys_lead_through_the_past_and_back_to_now(travel: Travel) -> None:
    await travel.show()
    newest = len(travel.log)
    verdict = travel.page.locator(".analysis")
    await expect(verdict).to_be_visible()

    await travel.slider.focus()
    await travel.page.keyboard.press("Home")
    await expect(travel.bar).to_contain_text(re.compile(rf"^\s*As of \d\d:\d\d:\d\d, event 1 of {newest}"))
    await expect(travel.page).to_have_url(re.compile(r"[?&]at=1$"))
    await expect(travel.page.locator(".state")).to_have_text("Queued")
    await expect(verdict).to_have_count(0)
    await expect(travel.page.locator(".item")).to_have_count(0)
    await travel.page.keyboard.press("PageUp")
    await expect(travel.slider).to_have_attribute("aria-valuenow", "11")
    await travel.page.keyboard.press("ArrowRight")
    await expect(travel.bar).to_contain_text("event 12 of")
    await travel.page.evaluate("document.activeElement.blur()")
    await travel.page.keyboard.press("[")
    await expect(travel.bar).to_contain_text("event 11 of")

    await travel.page.get_by_role("button", name="Back to now").click()
    await expect(verdict).to_be_visible()
    await expect(travel.bar).to_be_hidden()
    await expect(travel.page).to_have_url(re.compile("/blank$"))
    await expect(travel.slider).to_have_attribute("aria-valuetext", "Now")


async def test_the_waterfall_is_dragged_to_a_time(travel: Travel) -> None:
    await travel.show()
    box = await travel.slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2

    await travel.page.mouse.move(box["x"] + box["width"] - 2, middle)
    await travel.page.mouse.down()
    await travel.page.mouse.move(box["x"] + box["width"] / 2, middle, steps=8)
    await travel.page.mouse.move(box["x"] + 1, middle, steps=8)
    await travel.page.mouse.up()

    await expect(travel.slider).to_have_attribute("aria-valuetext", re.compile(r"^event \d+ of"))
    chosen = await travel.slider.get_attribute("aria-valuenow")
    assert int(chosen or 0) < len(travel.log) / 2
    await expect(travel.bar).to_contain_text(f"event {chosen} of")
    await expect(travel.page).to_have_url(re.compile(rf"at={chosen}$"))
    await expect(travel.page.locator(".marker")).to_have_count(1)
    after = await travel.slider.bounding_box()
    assert after is not None
    assert after["y"] == pytest.approx(box["y"], abs=1), "the waterfall stays under the hand"
    assert travel.asked == sorted(set(travel.asked), reverse=True), str(travel.asked)


async def test_a_link_shows_the_past_and_nothing_live_overwrites_it(travel: Travel) -> None:
    number = first(travel.log, "execution.started")
    await travel.open(number, until=number + 1)
    await expect(travel.bar).to_contain_text(f"event {number} of {number + 1}")
    await expect(travel.page.locator(".state")).to_have_text("Running")
    items = await travel.page.locator(".item").count()

    await travel.go_on()
    await expect(travel.slider).to_have_attribute("aria-valuemax", str(len(travel.log)))
    await expect(travel.page.locator(".state")).to_have_text("Running")
    assert await travel.page.locator(".item").count() == items
    await expect(travel.page.locator(".analysis")).to_have_count(0)

    await travel.page.get_by_role("button", name="Back to now").click()
    await expect(travel.page.locator(".state")).to_have_text("Completed")
    await expect(travel.page.locator(".analysis")).to_be_visible()
    await expect(travel.page).to_have_url(re.compile(f"/sessions/{travel.id}$"))


async def test_whoever_presses_twice_before_the_page_is_drawn_goes_back_twice(travel: Travel) -> None:
    newest = len(travel.log)
    await travel.open(newest - 1, until=newest)
    await expect(travel.bar).to_contain_text(f"event {newest - 1} of {newest}")
    await travel.page.evaluate(
        """() => {
            for (let time = 0; time < 2; time++) document.body.dispatchEvent(
                new KeyboardEvent("keydown", { key: "[", bubbles: true, cancelable: true }),
            );
        }"""
    )
    await expect(travel.bar).to_contain_text(f"event {newest - 3} of {newest}")
    await expect(travel.page).to_have_url(re.compile(rf"at={newest - 3}$"))


async def test_nobody_can_act_in_the_past(travel: Travel) -> None:
    await travel.show(until=first(travel.log, "execution.started") + 1)
    cancel = travel.page.get_by_role("button", name="Cancel", exact=True)
    await expect(cancel).to_be_enabled()

    await travel.page.keyboard.press("[")
    await expect(travel.bar).to_contain_text("As of")
    await expect(cancel).to_be_disabled()
    await travel.page.get_by_role("tab", name="Chat").click()
    await expect(travel.page.get_by_label("Ask the investigation")).to_be_disabled()
    await expect(travel.page.get_by_text("This is the past. Go back to now to ask.")).to_be_visible()
    for _ in range(3):
        await travel.page.keyboard.press("]")
    await expect(travel.bar).to_be_hidden()
    await expect(cancel).to_be_enabled()


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("0", "“0” is not the number of an event: events are counted from 1. You see the session as it is now."),
        (
            "later",
            "“later” is not the number of an event: events are counted from 1. You see the session as it is now.",
        ),
        ("99999", "This session has no event 99999. You see the session as it is now."),
    ],
)
async def test_a_number_that_is_none_gets_a_sentence_and_the_present(travel: Travel, at: str, said: str) -> None:
    await travel.show()
    await travel.page.evaluate("(at) => store.travel.follow(at)", at)

    await expect(travel.bar).to_have_text(re.compile(re.escape(said)))
    await expect(travel.page.locator(".analysis")).to_be_visible()
    await expect(travel.page.locator(".state")).to_have_text("Completed")


async def test_an_event_that_the_api_does_not_have_yet_is_waited_for(travel: Travel) -> None:
    await travel.show()
    number = await travel.page.evaluate("store.highest - 1")
    travel.projected = number - 1
    await travel.page.keyboard.press("[")
    await expect(travel.bar).to_contain_text(f"after event {number} cannot be shown: it is not projected yet")
    travel.projected = len(travel.log)
    await travel.page.get_by_role("button", name="Try again").click()
    await expect(travel.bar).to_contain_text(f"event {number} of")
    await travel.page.get_by_role("button", name="Back to now").click()
    await expect(travel.bar).to_be_hidden()


async def test_a_past_that_cannot_be_read_is_asked_for_again(travel: Travel) -> None:
    travel.status = 503
    await travel.show()
    number = await travel.page.evaluate("store.highest - 1")
    await travel.page.keyboard.press("[")
    await expect(travel.bar).to_contain_text(f"The session as it was after event {number} cannot be shown: the log")
    travel.status = 0
    await travel.page.get_by_role("button", name="Try again").click()
    await expect(travel.bar).to_contain_text("As of")
    await travel.page.get_by_role("button", name="Back to now").click()
    await expect(travel.bar).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 900, 1500])
async def test_axe_finds_nothing_in_the_past_nor_in_lanes(travel: Travel, scheme: Any, width: int) -> None:
    await travel.page.emulate_media(color_scheme=scheme)
    await travel.page.set_viewport_size({"width": width, "height": 900})
    await travel.show()
    await travel.page.evaluate("() => { document.documentElement.lang = 'en'; document.title = 'a'; }")
    fold = travel.page.locator(".waterfall details")
    if width < 1200:
        assert await fold.get_attribute("open") is None
        await fold.locator("summary").click()
    await travel.slider.focus()
    await travel.page.keyboard.press("ArrowLeft")
    await expect(travel.bar).to_contain_text("As of")
    assert await violations(travel.page) == []
    wide = await travel.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert wide is False
