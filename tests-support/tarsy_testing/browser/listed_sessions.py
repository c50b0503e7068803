"""The API of the list of sessions, played for a tab: sessions that a test makes up, and what is sent live."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from playwright.async_api import Locator, Page, ViewportSize, WebSocketRoute, expect

from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_api import BESIDE, Asked, place_of

type Row = dict[str, object]

ENDED = ("completed", "failed", "cancelled", "timed_out")
FACETS = ("severity", "cluster", "namespace", "workload", "alert_type", "chain_id")
NOW = datetime(2026, 11, 26, 18, 0, tzinfo=UTC)
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
AWAY = "The database cannot be reached."
CONFIRMED = {"type": "subscription.confirmed", "channel": "sessions"}


def wire(time: datetime) -> str:
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def session(number: int, status: str = "completed", **changes: object) -> Row:
    """The higher its number, the longer ago it came: a minute each."""
    created = NOW - timedelta(minutes=number)
    began = None if status == "pending" else wire(created + timedelta(seconds=2))
    ended = wire(created + timedelta(seconds=50)) if status in ENDED else None
    return {
        "id": f"s-{number:05}", "title": f"Alert {number}", "alert_type": "crash", "severity": "critical",
        "cluster": "prod", "namespace": "shop", "workload": "checkout", "source": "alertmanager",
        "chain_id": "default", "status": status, "last_number": 5, "created_at": wire(created), "scripted": False,
        "started_at": began, "completed_at": ended, "queue_position": None, "error_message": None,
        "executive_summary": None, "input_tokens": 0, "output_tokens": 0, **changes,
    }  # fmt: skip


@dataclass
class ListedSessions:
    """`asked`: methods and addresses. `refused`: what is answered to acts on these sessions. `is_down`: no channel is
    subscribed any more. `is_away`: lists are answered 503."""

    rows: list[Row]
    asked: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    role: str | None = None
    socket: WebSocketRoute | None = None
    is_down: bool = False
    is_away: bool = False

    def send(self, *messages: Mapping[str, object]) -> None:
        assert self.socket is not None
        for message in messages:
            self.socket.send(json.dumps(message))

    def change(self, id: str, status: str, number: int = 9, **changes: object) -> None:
        """Later answers have it; it is sent, too."""
        [row] = [row for row in self.rows if row["id"] == id]
        ended = wire(NOW) if status in ENDED else None
        row |= {"status": status, "last_number": number, "completed_at": ended, **changes}
        self.send(status_of(id, status, number))

    def connect(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        socket.on_message(lambda message: self._hear(str(message)))

    def _hear(self, message: str) -> None:
        if json.loads(message)["action"] == "subscribe" and not self.is_down:
            self.send(CONFIRMED)

    async def answer(self, asked: Asked) -> tuple[int, str]:
        method, _, address = asked.act.partition(" ")
        path = address.removeprefix("/api/v1")
        self.asked.append(f"{method} {path}?{urlencode(asked.query)}")
        id = path.split("/")[2] if path.count("/") > 2 else ""
        if method == "POST" and id in self.refused:
            return 409, json.dumps({"title": "Conflict", "status": 409, "detail": self.refused[id]})
        if path.startswith("/sessions") and (self.is_away or (method == "GET" and path.startswith("/sessions/s-"))):
            return 503, json.dumps({"title": "Service unavailable", "status": 503, "detail": AWAY})
        return 200, json.dumps(self.body(path, asked.query))

    def body(self, path: str, query: Mapping[str, str]) -> object:
        bodies: dict[str, object] = {
            "/login/available": {"available": False},
            "/me": {"name": "ann", "role": self.role},
            "/sessions/filter-options": {"statuses": ["pending", *ENDED], "severities": ["critical", "warning"]},
            "/system/warnings": {"warnings": [], "server_count": 2},
            "/system/mcp-servers": {"servers": []},
        }
        if path == "/sessions":
            return self._page(query)
        if path == "/sessions/active":
            return self._active()
        if (place := place_of(path)) in BESIDE:
            return BESIDE[place]
        return bodies.get(path, {"message": "The session is being cancelled.", "session_id": "s-again"})

    def _active(self) -> object:
        running = [row for row in self.rows if row["status"] in ("in_progress", "cancelling")]
        return {"active": running, "queued": [row for row in self.rows if row["status"] == "pending"]}

    def _page(self, query: Mapping[str, str]) -> object:
        found = [row for row in self.rows if fits(row, query)]
        found.sort(key=lambda row: (str(row["created_at"]), str(row["id"])), reverse=query.get("sort_order") != "asc")
        number, size = int(query.get("page", "1")), int(query["page_size"])
        pages = -(-len(found) // size)
        return {
            "sessions": found[(number - 1) * size : number * size],
            "pagination": {"page": number, "page_size": size, "total_pages": pages, "total_items": len(found)},
        }


def fits(row: Row, query: Mapping[str, str]) -> bool:
    created = str(row["created_at"])
    return (
        ("status" not in query or row["status"] in query["status"].split(","))
        and all(row[facet] == query[facet] for facet in FACETS if facet in query)
        and str(row["id"]).startswith(query.get("id_prefix", ""))
        and query.get("search", "").lower() in str(row["title"]).lower()
        and query.get("start_date", "") <= created < query.get("end_date", "9")
    )


def status_of(id: str, status: str, number: int = 9) -> dict[str, object]:
    return {
        "type": "session.status", "session_id": id, "status": status, "number": number, "timestamp": wire(NOW),
        "final_analysis": None, "error_message": None,
    }  # fmt: skip


@dataclass(frozen=True)
class Show:
    """Opens the list in a tab. At the end nothing has complained."""

    open_tab: Callable[[ListedSessions], AbstractAsyncContextManager[Tab]]

    @asynccontextmanager
    async def __call__(
        self, rows: list[Row], link: str = "/", *, viewport: ViewportSize = DESK, role: str | None = None
    ) -> AsyncIterator[tuple[Tab, ListedSessions]]:
        api = ListedSessions(rows, role=role)
        async with self.open_tab(api) as tab:
            await tab.page.set_viewport_size(viewport)
            await tab.page.route_web_socket("**/api/v1/ws", api.connect)
            await tab.page.clock.set_fixed_time(NOW)
            await tab.page.goto(link)
            await expect(tab.page.locator("#connection")).to_have_text("Live")
            await expect(tab.page.get_by_text("Loading")).to_have_count(0)
            yield tab, api
            # Chromium complains about the status of an answer, which is none of the page's faults.
            assert [one for one in tab.complaints if "status of 503" not in one] == []


def row_of(page: Page, number: int) -> Locator:
    return page.locator(f'.listed[data-id="s-{number:05}"]')


async def ids(page: Page) -> list[str]:
    """In the order of the document."""
    found: list[str] = await page.locator(".listed").evaluate_all("rows => rows.map((row) => row.dataset.id)")
    return found
