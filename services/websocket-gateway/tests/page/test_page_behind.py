"""The page of a session in Chromium while the API is behind what comes live, or away."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Browser, Page, WebSocketRoute, expect
from pydantic import JsonValue

from tarsy_testing.browser.browser import Tab, new_tab
from tarsy_testing.browser.page_api import Answer, Asked, PageApi, Problem
from tarsy_testing.real_servers import eventually
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"
AWAY = Problem(503, "The database cannot be reached.")
TOKENS = {3: 10, 13: 1000}
"""The tokens that the session has used by these events."""


@dataclass
class Watched:
    """A session that has ended with event 13. `projected`: the event that the API has reached, 0 while it is away."""

    session: Any
    projected: int = 13
    asked: list[int] = field(default_factory=list)
    held: asyncio.Event | None = None
    """Set when answers may be sent."""
    socket: WebSocketRoute | None = None

    @property
    def path(self) -> str:
        return f"/sessions/{self.session.id}"

    def answer(self, asked: Asked) -> dict[str, JsonValue] | Problem:
        wanted = int(asked.query["at_least"])
        self.asked.append(wanted)
        if self.projected == 0:
            return AWAY
        if self.projected < wanted:
            return Problem(503, f"Session is not projected up to event {wanted} yet.")
        return self._detail()

    def connect(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        socket.on_message(self._hear)

    def send(self, *messages: dict[str, JsonValue]) -> None:
        assert self.socket is not None
        for message in messages:
            self.socket.send(json.dumps(message))

    def _hear(self, text: str | bytes) -> None:
        if json.loads(text)["action"] == "subscribe":
            feed, numbers = Feed(), range(1, 14)
            history = [json.loads(one.text) for number in numbers for one in feed.event(self.session.recorded(number))]
            self.send({"type": "subscription.confirmed", "channel": f"session:{self.session.id}"}, *history)

    def _detail(self) -> dict[str, JsonValue]:
        ended = self.projected >= 13
        return {
            "id": self.session.id, "last_number": self.projected, "status": "completed" if ended else "in_progress",
            "title": "Crash", "alert_type": "crash", "alert_data": "", "source": "api", "author": "ann",
            "created_at": "2026-11-22T10:00:00Z", "started_at": "2026-11-22T10:00:00Z",
            "completed_at": "2026-11-22T10:00:12Z" if ended else None, "chat_enabled": True, "stages": [],
            "total_tokens": TOKENS[self.projected], "input_tokens": TOKENS[self.projected], "output_tokens": 0,
            "cached_input_tokens": 0,
        }  # fmt: skip


FRAMES = "async (count) => { for (; count > 0; count--) await new Promise(requestAnimationFrame); }"

type Open = Callable[..., Any]


@pytest.fixture
def open_tab(browser: Browser, address: str) -> Open:
    @asynccontextmanager
    async def opened(watched: Watched, others: Mapping[str, Answer] | None = None) -> AsyncIterator[Tab]:
        act = f"GET /api/v1{watched.path}"
        held = {} if watched.held is None else {act: watched.held}
        api = PageApi({act: watched.answer, **(others or {})}, held=held)
        async with new_tab(browser, address) as tab:
            await api.install(tab.page)
            await tab.page.route_web_socket("**/api/v1/ws", watched.connect)
            await tab.page.goto(watched.path)
            await expect(tab.page.locator("#connection")).to_have_text("Live")
            yield tab
            # Chromium complains about the status of an answer, which is none of the page's faults.
            assert [one for one in tab.complaints if "Failed to load resource" not in one] == []

    return opened


def tokens(page: Page) -> Any:
    return page.locator(".facts")


async def test_an_api_that_is_away_and_then_behind_is_asked_again_and_what_it_has_is_shown(
    open_tab: Open, story: Callable[[], Any]
) -> None:
    watched = Watched(story(), projected=0)
    async with open_tab(watched) as tab:
        await expect(tab.page.locator(".notice")).to_have_text(AWAY.detail)
        await expect(tab.page.locator(".state")).to_have_count(0)

        watched.projected = 3
        await expect(tab.page.locator("h1")).to_have_text("Crash")
        await expect(tab.page.locator(".state .status")).to_have_text("Completed")
        await expect(tab.page.locator(".notice")).to_have_count(0)
        await expect(tokens(tab.page)).to_contain_text("10 in")

        before = watched.asked.count(13)

        async def is_asked_again() -> bool:
            return watched.asked.count(13) > before

        await eventually(is_asked_again, "the page asks for the last event again")
        watched.projected = 13
        await expect(tokens(tab.page)).to_contain_text("1,000 in")


async def test_a_deleted_session_stays_deleted_though_an_answer_that_was_under_way_has_it(
    open_tab: Open, story: Callable[[], Any]
) -> None:
    watched = Watched(story(), held=asyncio.Event())
    async with open_tab(watched) as tab:
        await expect(tab.page.locator(".analysis")).to_be_visible()
        watched.send({"type": "session.deleted", "session_id": watched.session.id, "number": 14, "timestamp": None})
        await expect(tab.page.locator(".notice")).to_have_text("This session was deleted.")
        assert watched.held is not None
        watched.held.set()
        await expect(tab.page.locator("h1")).to_have_text("Crash")
        await expect(tab.page.locator(".notice")).to_have_text("This session was deleted.")


READS = """async ([assets, statuses, closesAfter]) => {
    const { DetailReader } = await import(`${assets}/stores/detail_reader.js`);
    const asked = [], pauses = [], taken = [], failed = [];
    const { random } = Math, { setTimeout, fetch } = window;
    Math.random = () => 0.5;
    window.setTimeout = (act, pause) => {
        pauses.push(pause);
        queueMicrotask(act);
        return 1;
    };
    const ended = new Promise((done) => {
        window.fetch = async (path) => {
            const status = statuses.shift() ?? 200;
            asked.push(new URL(path, location.href).searchParams.get("at_least"));
            if (asked.length === closesAfter) reader.close();
            if (statuses.length === 0) setTimeout(done, 0);
            return { ok: status === 200, status, json: async () => ({ id: "a", last_number: 5, detail: "not yet" }) };
        };
    });
    const reader = new DetailReader("a", {
        takes: (detail) => taken.push(detail.last_number), fails: (problem) => failed.push(problem.message),
    });
    try {
        reader.read(9);
        await ended;
        return { asked, pauses, taken, failed };
    } finally {
        reader.close();
        Object.assign(window, { setTimeout, fetch });
        Math.random = random;
    }
}"""
"""How a reader goes on whose answers have these statuses; the last of them ends it."""


async def test_the_pauses_grow_to_a_limit_and_what_there_is_is_taken_meanwhile(tab: Tab) -> None:
    found = await tab.page.evaluate(READS, [ASSETS, [503, 200] * 8 + [200], 0])

    assert found["pauses"] == [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]
    assert found["asked"] == ["9", "0"] * 8 + ["9"]
    assert (found["taken"], found["failed"]) == ([5] * 9, [])


async def test_a_reader_that_is_closed_takes_no_answer_that_was_under_way(tab: Tab) -> None:
    found = await tab.page.evaluate(READS, [ASSETS, [200], 1])

    assert found == {"asked": ["9"], "pauses": [], "taken": [], "failed": []}


async def test_what_is_no_failure_of_the_api_is_not_asked_again(tab: Tab) -> None:
    found = await tab.page.evaluate(READS, [ASSETS, [404], 0])

    assert found == {"asked": ["9"], "pauses": [], "taken": [], "failed": ["not yet"]}


async def test_a_view_that_was_left_does_not_say_that_the_next_one_is_not_live(tab: Tab) -> None:
    found = await tab.page.evaluate(
        """async (assets) => {
            const { Polled } = await import(`${assets}/stores/polled.js`);
            const { connection, isLive } = await import(`${assets}/stores/connection.js`);
            let refuse;
            const end = new Polled().follow(() => new Promise((_, no) => { refuse = no; }));
            isLive();
            end();
            refuse(new Error("no answer"));
            await new Promise((done) => setTimeout(done));
            return connection.value;
        }""",
        ASSETS,
    )
    assert found == "live"


async def test_the_record_of_a_deleted_session_is_not_waited_for(tab: Tab) -> None:
    found = await tab.page.evaluate(
        """async ([assets, status]) => {
            const { SessionStore } = await import(`${assets}/stores/session_store.js`);
            const store = new SessionStore("a"), { record } = store;
            let reads = 0;
            store.read = () => {};
            record.read = async () => { reads += 1; };
            const readsOf = (message) => {
                store.take(message);
                record.watch()();
                return [reads, store.highest];
            };
            const deletion = { type: "session.deleted", session_id: "a", number: 14 };
            return [status, deletion, { ...status, number: 15 }].map(readsOf);
        }""",
        [ASSETS, {"type": "session.status", "session_id": "a", "number": 13, "status": "completed"}],
    )
    assert found == [[1, 13], [1, 13], [2, 15]]


async def test_lessons_of_another_shape_are_not_asked_for_without_end(open_tab: Open, story: Callable[[], Any]) -> None:
    watched, asked = Watched(story()), list[Asked]()

    def taught(one: Asked) -> dict[str, JsonValue]:
        asked.append(one)
        return {}

    async with open_tab(watched, {f"GET /api/v1{watched.path}/memories": taught}) as tab:
        await expect(tokens(tab.page)).to_contain_text("1,000 in")

        async def is_asked() -> bool:
            return asked != []

        await eventually(is_asked, "the page asks what the session has taught")
        await tab.page.evaluate(FRAMES, 60)
        assert len(asked) <= 8, "each frame would be another question"
