"""An act is on record before it is done, and is not done when it cannot be."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import httpx2
from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_audit.requested_act import MOST_CHARACTERS, describe_request
from tarsy_audit.trail import AuditTrail
from tarsy_auth.identity import Identity
from tarsy_auth.roles import Role
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_contracts.messages.audit import ActRequested
from tarsy_service.access.caller import IDENTITY
from tarsy_service.http.problem_handlers import install_problem_handlers

SECRET = "hunter2-very-secret"
ALICE = Identity(f"alice {SECRET}", Role.OPERATOR, "api_key", "alice-laptop")
CANCEL = "/api/v1/sessions/s1/calls/c1/cancel"


async def recorded(bus: Bus) -> list[ActRequested]:
    found: list[ActRequested] = []

    def take(record: Record) -> None:
        found.append(ActRequested.model_validate_json(record.value or b""))

    await read_to_end(bus, bus.topics.audit, {0: 0}, take)
    return found


class WithIdentity:
    """An ASGI middleware: as AccessControl leaves the scope."""

    def __init__(self, app: ASGIApp, identity: Identity) -> None:
        self._app = app
        self._identity = identity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, IDENTITY: self._identity}, receive, send)


@asynccontextmanager
async def client(
    bus: Bus, identity: Identity | None = None, write_seconds: float | None = None
) -> AsyncIterator[httpx2.AsyncClient]:
    """Of an app whose only act answers with what was on record before it."""
    publisher = Publisher(bus, source="tarsy/test", now=lambda: datetime.now(UTC), write_seconds=write_seconds)
    trail = AuditTrail(publisher, lambda text: text.replace(SECRET, "***"), lambda: "1")
    router = APIRouter(prefix="/api/v1/sessions")

    @router.post("/{session_id}/calls/{call_id}/cancel")
    async def cancel(session_id: str, call_id: str) -> list[ActRequested]:
        return await recorded(bus)

    @router.get("/{session_id}")
    async def show(session_id: str) -> str:
        return session_id

    app = FastAPI()
    install_problem_handlers(app)
    app.include_router(router, dependencies=[Depends(trail.require)])
    served: ASGIApp = app if identity is None else WithIdentity(app, identity)
    async with publisher.running():
        transport = httpx2.ASGITransport(served, client=("10.1.2.3", 4711))
        async with httpx2.AsyncClient(transport=transport, base_url="http://tarsy") as asking:
            yield asking


async def test_who_asks_by_which_key_and_from_where_is_on_record_before_the_act(bus: Bus) -> None:
    async with client(bus, ALICE) as asking:
        answer = await asking.post(CANCEL)
    assert answer.status_code == 200, answer.text
    assert answer.json() == [
        {
            "act": "POST /api/v1/sessions/{session_id}/calls/{call_id}/cancel",
            "name": "alice ***", "door": "api_key", "credential": "alice-laptop", "role": "operator",
            "address": "10.1.2.3", "session_id": "s1", "target": {"call_id": "c1"}, "times": 1,
        }
    ]  # fmt: skip


async def test_without_authentication_the_record_says_what_the_proxy_said_or_nobody(bus: Bus) -> None:
    async with client(bus) as asking:
        await asking.post(CANCEL, headers={"X-Forwarded-User": "bob"})
        (bob, nobody) = (await asking.post(CANCEL)).json()
    assert (bob["name"], bob["door"]) == ("bob", "forwarded_user")
    assert (nobody["name"], nobody["door"], nobody["credential"], nobody["role"]) == ("api-client", "nobody", "", "")


def test_an_address_that_a_proxy_passes_on_is_masked_and_cut() -> None:
    scope: Scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "client": (SECRET + "x" * 9_000, 1)}
    act = describe_request(Request(scope), lambda text: text.replace(SECRET, "***"))
    assert act.address == "***" + "x" * (MOST_CHARACTERS - 3)


async def test_reading_is_no_act(bus: Bus) -> None:
    async with client(bus, ALICE) as asking:
        assert (await asking.get("/api/v1/sessions/s1")).status_code == 200
    assert await recorded(bus) == []


async def test_what_cannot_be_recorded_is_not_done(bus: Bus) -> None:
    async with client(bus, ALICE, write_seconds=0) as asking:
        answer = await asking.post(CANCEL)
    assert (answer.status_code, answer.json()["detail"]) == (
        503, "Kafka did not accept the record of who asks for this, so nothing was done. Try again."
    )  # fmt: skip
