"""Owner of the session of an alert: it writes heads, and answers of ingest are compared with them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from ingest_running import Ingest, Records

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.records import delivery
from tarsy_contracts.events import EndStatus
from tarsy_contracts.events.heads import AlertMark, Phase, SessionHead, Span, head_key
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived
from tarsy_testing.real_servers import eventually

ALERT = {"data": "disk full on db-1"}


class HeadOwner:
    """Writes the heads of the session of ALERT, as the owner of its partition does."""

    def __init__(self, bus: Bus, publisher: Publisher, records: Records) -> None:
        self._bus = bus
        self._publisher = publisher
        self._records = records

    async def open(self) -> None:
        await self._write("open", 1)

    async def end(self, ended: EndStatus) -> None:
        """And the tombstone of the head before it."""
        await self._write("rest", 9, ended)
        session_id, _, partition = await self._started()
        old = head_key(session_id, 1).encode()
        await self._publisher.write(self._bus.topics.heads, key=old, value=None, headers=[], partition=partition)

    async def _write(self, phase: Phase, number: int, ended: EndStatus | None = None) -> None:
        session_id, alerts, partition = await self._started()
        head = SessionHead(
            phase=phase,
            number=number,
            offset=number,
            event_id=f"{number:032x}",
            decided=alerts.alerted,
            spans=(Span(first=1, last=number),) if phase == "rest" else (),
            alerts=alerts,
            ended=ended,
        )
        topic, key = self._bus.topics.heads, head_key(session_id, number)
        await self._publisher.publish(topic, head, key=key, id=key, subject=session_id, partition=partition)

    async def _started(self) -> tuple[str, AlertMark, int]:
        """The session, its alerts and its partition."""
        inputs = [(record, delivery(record).decode(INPUTS)) for record in await self._records(self._bus.topics.inbox)]
        found, received = min(
            (
                (record, one)
                for record, one in inputs
                if isinstance(one, AlertReceived) and one.alert.data == ALERT["data"]
            ),
            key=lambda pair: pair[0].offset,
        )
        assert received.deduplication is not None
        at, came_ms = found.offset, int(found.timestamp)
        alerts = AlertMark(key=received.deduplication.key, opened=at, alerted=at, alerted_ms=came_ms)
        return delivery(found).envelope.subject, alerts, found.partition


@asynccontextmanager
async def head_owner(bus: Bus, records: Records) -> AsyncIterator[HeadOwner]:
    publisher = Publisher(bus, source="orchestrator", now=lambda: datetime.now(UTC))
    async with publisher.running():
        yield HeadOwner(bus, publisher, records)


async def post(ingest: Ingest) -> dict[str, str]:
    answer = await ingest.client.post("/api/v1/alerts", json=ALERT)
    assert answer.status_code == 202
    body: dict[str, str] = answer.json()
    return body


async def until_joined(ingest: Ingest, session_id: str, state: str) -> None:
    async def answered() -> bool:
        found = await post(ingest)
        return (found["session_id"], found.get("session_status")) == (session_id, state)

    await eventually(answered, f"an alert that joins the session, which is {state}")
