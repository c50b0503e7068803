"""The chat of the page in a tab: its views, fed with what the gateway sends."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tarsy_contracts import events as e
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_feed import SHOW_SESSION
from tarsy_testing.story.reply import Exchange
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import join_deltas
from tarsy_websocket_gateway.page_files.assets import load_page

type Message = dict[str, Any]

ASSETS = f"/assets/{load_page().version}"
NOW = datetime(2026, 11, 22, tzinfo=UTC)

READ = """() => {
    const shown = (item) => item.querySelector(".tool") ?? item.querySelector(".body");
    const said = (node) => node.checkVisibility() ? [...node.children].map((part) => part.textContent) : null;
    const items = (root) => [...root.querySelectorAll(".item")].filter((one) => one.checkVisibility())
        .map((one) => [one.dataset.type, one.dataset.status, shown(one).innerText.trim()]);
    return {
        stages: [...document.querySelectorAll(".stages li > .name")].map((one) => one.textContent),
        timeline: items(document.querySelector(".timeline")).map((one) => one[0]),
        turns: [...document.querySelectorAll(".turn")].map((one) => ({
            asked: [...one.querySelectorAll(".author")].map((author) => author.textContent),
            items: items(one).slice(1),
            end: said(one.querySelector(".end")),
        })),
    };
}"""


def retold(story: Any, session: Any, change: Callable[[e.Event], e.Event]) -> Any:
    """The new session, with the story's id and each of its events as `change` returns it."""
    session.id = story.id
    return session.add(*(change(story.recorded(number).event) for number in range(1, len(story.records) + 1)))


class Scene:
    """A session that has ended, in a tab, and what happens to it then."""

    def __init__(self, tab: Tab, session: Any) -> None:
        self.tab = tab
        self.session = session
        self.assets = ASSETS
        self._feed = Feed()
        self._told: list[Message] = []

    async def show(self, *, chat_enabled: bool = True, **detail: object) -> None:
        """`detail`: other fields of the session than it has."""
        await self.show_only(self.live(0), chat_enabled=chat_enabled, **detail)

    async def show_only(self, messages: list[Message], *, chat_enabled: bool = True, **other: object) -> None:
        """The session of which no more is known than these messages."""
        detail = {"chat_enabled": chat_enabled, "title": "Crash", "created_at": "2026-11-22T10:00:00Z", **other}
        await self.tab.page.evaluate(SHOW_SESSION, [ASSETS, self.session.id, detail, messages])

    async def add(self, *events: e.Event) -> None:
        before = len(self.session.records)
        self.session.add(*events)
        await self.feed(self.live(before))

    async def stream(self, exchange: Exchange, index: int, text: str) -> None:
        chunk = LlmChunk(
            call_id=exchange.llm_call_id(2), execution_id=exchange.execution_id, run=1, index=index, part="text",
            text=text,
        )  # fmt: skip
        taken = join_deltas(self._feed.chunk(self.session.id, chunk, NOW, len(self.session.records)))
        await self.feed([json.loads(one.text) for one in taken])

    async def feed(self, messages: list[Message]) -> None:
        await self.tab.page.evaluate("(messages) => window.feed(messages)", messages)

    async def read(self) -> Message:
        found: Message = await self.tab.page.evaluate(READ)
        return found

    async def reload(self) -> Message:
        """The same session in a page that knows nothing of it."""
        self._feed = Feed()
        await self.show()
        return await self.read()

    def live(self, since: int) -> list[Message]:
        numbers = range(since + 1, len(self.session.records) + 1)
        return [json.loads(one.text) for number in numbers for one in self._feed.event(self.session.recorded(number))]
