"""People who look on while processes are replaced: one asks the history, one has a page open."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from tarsy_testing.system.investigation import Row
from tarsy_testing.system.rolling import Rolling
from tarsy_testing.system.system import ServiceProcess

ASKED_EVERY_SECONDS = 0.25
CONNECTS_AGAIN_SECONDS = 0.2
STALE_PLAN = "InvalidCachedStatementError"
TOLD = frozenset({200, 404, 503})
"""A session may not be projected yet, and PostgreSQL may be slow on a busy machine."""
ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})


@dataclass
class History:
    """Asks the timeline all the while, each time on a connection of its own."""

    rolled: Rolling
    answers: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Answers of 500, by the name of the timeline that gave them."""

    async def ask_for_ever(self) -> None:
        each_anew = httpx2.Limits(max_keepalive_connections=0)
        url = self.rolled.timeline_url
        async with httpx2.AsyncClient(base_url=url, timeout=90.0, limits=each_anew) as client:
            while True:
                for path in ("/api/v1/sessions", "/api/v1/sessions/active", *self._of_a_session()):
                    await self._ask(client, path)
                await asyncio.sleep(ASKED_EVERY_SECONDS)

    def faults(self) -> list[str]:
        """A timeline of 0.1.0 failed once after a migration, for what it had asked before (STALE_PLAN)."""
        return [
            f"{process.name} answered 500 {self.failures[process.name]} times: {process.last_lines}"
            for process in self.rolled.system.processes
            if self.failures[process.name] > _tolerated(self.rolled, process)
        ]

    async def _ask(self, client: httpx2.AsyncClient, path: str) -> None:
        timeline = self.rolled.newest_timeline.name
        try:
            answer = await client.get(path)
        except httpx2.TransportError:
            # A connection that its timeline had not accepted when it was stopped: nobody has to ask a third time.
            timeline = self.rolled.newest_timeline.name
            answer = await client.get(path)
        self.answers += 1
        if answer.status_code == 500:
            self.failures[timeline] += 1
        else:
            assert answer.status_code in TOLD, f"{path} of {timeline}: {answer.text}"

    def _of_a_session(self) -> list[str]:
        newest = self.rolled.load.newest
        return [f"/api/v1/sessions/{newest}", f"/api/v1/sessions/{newest}/timeline"]


def _tolerated(rolled: Rolling, process: ServiceProcess) -> int:
    if rolled.release_of(process) != "old":
        return 0
    return process.log.read_text(errors="replace").count(f'"{STALE_PLAN}')


@dataclass
class Page:
    """Follows the newest session to its end, then the next one; connects again to whichever gateway there is."""

    rolled: Rolling
    followed: Counter[str] = field(default_factory=Counter)
    """Sessions that were seen to end, by the name of the gateway that showed the end."""

    async def look_for_ever(self) -> None:
        while True:
            seen = False
            session_id = self.rolled.load.newest
            while not seen:
                seen = await self._follow(session_id)

    async def _follow(self, session_id: str) -> bool:
        """Whether the end was seen."""
        gateway = self.rolled.system.of("websocket-gateway")
        url = gateway.url.replace("http", "ws", 1)
        try:
            async with connect(f"{url}/api/v1/ws", max_size=None) as socket:
                await socket.send(json.dumps({"action": "subscribe", "channel": f"session:{session_id}"}))
                seen = await _sees_the_end(socket)
        except (OSError, InvalidHandshake, WebSocketException):
            seen = False
        if not seen:
            await asyncio.sleep(CONNECTS_AGAIN_SECONDS)
        self.followed[gateway.name] += seen
        return seen


async def _sees_the_end(socket: ClientConnection) -> bool:
    async for text in socket:
        row: Row = json.loads(text)
        if row["type"] == "session.status" and row["status"] in ENDED:
            return True
        if row["type"] == "subscription.error":
            return False
    return False
