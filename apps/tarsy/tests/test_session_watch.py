"""A session is watched over a real WebSocket; what no message tells is asked of the API."""

import asyncio
import io
import json
from http import HTTPStatus

import pytest
from rich.console import Console
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from tarsy_cli.watch import session_messages, session_watch
from tarsy_processes.ports import free_port
from tarsy_testing.story.cli_answers import SESSION as SESSION_ANSWER

SESSION = "s"
POSITIONS = (3, 2, None)
DETAIL = SESSION_ANSWER | {
    "id": SESSION, "title": "Checkout is slow", "source": "", "alert_data": "", "final_analysis": None,
    "runbook_url": None, "mcp_selection": None, "stages": [],
}  # fmt: skip
STATE = {
    "id": SESSION, "status": "pending", "final_analysis": None, "executive_summary": None, "error_message": None,
    "last_number": 1,
}  # fmt: skip
STATUS = {
    "type": "session.status", "session_id": SESSION, "final_analysis": None, "error_message": None,
    "timestamp": "2026-11-22T10:00:00.000Z", "number": 1,
}  # fmt: skip


class Gateway:
    """Says that the session is pending, and lets it begin when its place was asked for three times."""

    def __init__(self) -> None:
        self.asked = 0
        self._asked_enough = asyncio.Event()

    def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path == f"/sessions/{SESSION}":
            return connection.respond(HTTPStatus.OK, json.dumps(DETAIL))
        if request.path != f"/sessions/{SESSION}/status":
            return None
        position = POSITIONS[self.asked % len(POSITIONS)]
        self.asked += 1
        if self.asked >= len(POSITIONS):
            self._asked_enough.set()
        status = HTTPStatus.OK if position else HTTPStatus.SERVICE_UNAVAILABLE
        return connection.respond(status, json.dumps({**STATE, "queue_position": position}))

    async def tell(self, connection: ServerConnection) -> None:
        await connection.recv()
        await self._status(connection, "pending")
        await self._asked_enough.wait()
        await self._status(connection, "in_progress")
        await self._status(connection, "completed")

    async def _status(self, connection: ServerConnection, status: str) -> None:
        await connection.send(json.dumps({**STATUS, "status": status}))


async def test_who_waits_for_a_session_to_begin_is_told_its_place_in_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_messages, "MOMENT_SECONDS", 0.05)
    gateway, out = Gateway(), io.StringIO()
    port, console = free_port(), Console(file=out, width=80, color_system=None)
    async with serve(gateway.tell, "127.0.0.1", port, process_request=gateway.answer), asyncio.timeout(120):
        status = await asyncio.to_thread(session_watch.watch_session, f"http://127.0.0.1:{port}", SESSION, console)
    assert status == "completed"
    assert out.getvalue().splitlines() == [
        "Checkout is slow",
        "session s",
        "■ session: pending",
        "· queued: number 3 in the queue",
        "· queued: number 2 in the queue",
        "■ session: in progress",
        "■ session: completed",
    ]
