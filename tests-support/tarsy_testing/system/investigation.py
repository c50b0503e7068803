"""Sending an incident's alert to a running system, and waiting for what happens."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx2
import pytest
from pydantic import JsonValue
from websockets.asyncio.client import ClientConnection, connect

from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_testing.story.incident import INCIDENT, alert_now
from tarsy_testing.story.log import check_one_chain, read_log
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog

INVESTIGATION_SECONDS = 240.0

type Row = dict[str, JsonValue]


@dataclass
class Investigation:
    system: System
    session_id: str

    async def log(self) -> SessionLog:
        return (await read_log(self.system.bus)).get(self.session_id, SessionLog())

    async def until(self, event_type: str, count: int = 1) -> SessionLog:
        """Waits until the log holds so many accepted events of a type."""

        async def look() -> SessionLog | None:
            log = await self.log()
            return log if log.types.count(event_type) >= count else None

        return await self._eventually(look, f"{count} {event_type} on the log", seconds=INVESTIGATION_SECONDS)

    async def until_ended(self) -> SessionLog:
        """Waits for the end, and checks that the log is one chain."""

        async def look() -> SessionLog | None:
            log = await self.log()
            return log if log.ended else None

        log = await self._eventually(look, "the end of the session", seconds=INVESTIGATION_SECONDS)
        check_one_chain(log)
        return log

    async def until_streaming(self, text: str) -> None:
        """Waits until the chunks of one run of a call of the session have brought `text`."""

        async def look() -> bool:
            streams: dict[tuple[str, int, str], str] = defaultdict(str)

            def take(record: Record) -> None:
                if record.key == self.session_id.encode() and record.value is not None:
                    chunk = json.loads(record.value)
                    streams[chunk["call_id"], chunk["run"], chunk.get("part", "")] += chunk["text"]

            topic = self.system.bus.topics.stream
            await read_to_end(self.system.bus, topic, dict.fromkeys(range(QUEUE_PARTITIONS), 0), take)
            return any(text in streamed for streamed in streams.values())

        await self._eventually(look, f"a stream with {text!r}", seconds=INVESTIGATION_SECONDS)

    async def _eventually[T](self, look: Callable[[], Awaitable[T | None]], what: str, *, seconds: float) -> T:
        try:
            return await eventually(look, what, seconds=seconds)
        except pytest.fail.Exception as failure:
            types = (await self.log()).types
            pytest.fail(f"{failure}\nthe log holds {types}\n{self.system.last_warnings()}")


@asynccontextmanager
async def watched(system: System, session_id: str) -> AsyncIterator[None]:
    """Somebody watches the session: without watchers a websocket-gateway reads neither log nor stream."""
    url = system.of("websocket-gateway").url.replace("http://", "ws://")
    async with connect(f"{url}/api/v1/ws") as client:
        await subscribe(client, session_id)
        yield


async def subscribe(client: ClientConnection, session_id: str) -> list[str]:
    """Returns all that came until it was confirmed.

    While a busy timeline does not have the history in time, the gateway refuses, and a client subscribes again.
    """
    came: list[str] = []

    async def confirmed() -> bool:
        await client.send(json.dumps({"action": "subscribe", "channel": f"session:{session_id}"}))
        while True:
            came.append(str(await client.recv()))
            if (kind := json.loads(came[-1])["type"]).startswith("subscription."):
                return bool(kind == "subscription.confirmed")

    async with asyncio.timeout(2 * WAIT_SECONDS):
        await eventually(confirmed, f"a subscription to {session_id}")
    return came


def submit(system: System, incident: Path = INCIDENT) -> Investigation:
    answer = system.post("ingest", "/api/v1/alerts/alertmanager", alert_now(incident))
    alerts = answer["alerts"]
    assert isinstance(alerts, list)
    assert isinstance(alerts[0], dict)
    return Investigation(system, str(alerts[0]["session_id"]))


async def shown(system: System, session_id: str, log: SessionLog) -> Row:
    """The API's answer about a session, once all of its log is projected."""

    url = f"{system.of('timeline').url}/api/v1/sessions/{session_id}"
    last: Row = {}

    async def look() -> Row | None:
        nonlocal last
        answer = await asyncio.to_thread(httpx2.get, url, timeout=90.0)
        assert answer.status_code in (HTTPStatus.OK, HTTPStatus.NOT_FOUND), answer.text
        last = answer.json()
        return last if last.get("last_number") == len(log.accepted) else None

    def missing() -> str:
        return f"{len(log.accepted)} events of {session_id} are shown, but {last.get('last_number') or last}"

    return await eventually(look, missing)


async def everything(system: System, topics: list[str]) -> list[Record]:
    """All records of some topics, as they lie there."""
    found: list[Record] = []
    partitions = {topic.name: topic.partitions for topic in system.bus.topics.all()}
    for topic in topics:
        await read_to_end(system.bus, topic, dict.fromkeys(range(partitions[topic]), 0), found.append)
    return found
