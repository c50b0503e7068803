"""How many sessions wait, as ingest counts it, and what becomes of alerts above the limit."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from ingest_running import Records, StartIngest, alert_in

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.messages.workers import OwnedQueue, WorkerAnnounced
from tarsy_ingest.intake.pending_sessions import EARLIER_VERSION_SECONDS, PendingSessions, QueueFullError
from tarsy_testing.real_servers import FEW_PARTITIONS, eventually


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def announcement(worker: str, queues: dict[int, tuple[int, int]] | None, *, leaving: bool = False) -> WorkerAnnounced:
    told = None if queues is None else {n: OwnedQueue(waiting=one, decided=to) for n, (one, to) in queues.items()}
    return WorkerAnnounced(worker_id=worker, service="orchestrator", leaving=leaving, queues=told)


def test_what_this_ingest_accepted_counts_until_it_is_decided() -> None:
    pending = PendingSessions(lambda: 3)
    for partition, offset in ((0, 5), (0, 9), (1, 5)):
        assert not pending.is_full
        pending.note_accepted(partition, offset)
    with pytest.raises(QueueFullError):
        pending.require_capacity()
    pending.note_heartbeat(announcement("a", {0: (1, 6), 1: (0, 5)}))
    assert pending.waiting == 3, "one waits at its owner, and two are not decided"
    pending.note_heartbeat(announcement("a", {0: (2, 10), 1: (0, 6)}))
    assert (pending.waiting, pending.is_full) == (2, False), "one of them joined a session, or has begun"


def test_what_waited_for_an_owner_that_died_still_waits_until_another_announces_it() -> None:
    pending = PendingSessions(lambda: 10)
    pending.note_heartbeat(announcement("a", {0: (6, 1), 1: (4, 1)}))
    pending.note_heartbeat(announcement("a", None, leaving=True))
    pending.note_heartbeat(announcement("b", {}))
    assert (pending.waiting, pending.is_full) == (10, True)
    pending.note_heartbeat(announcement("b", {0: (5, 1)}))
    assert pending.waiting == 9


def test_workers_that_own_nothing_change_nothing() -> None:
    pending = PendingSessions(lambda: 1)
    pending.note_heartbeat(announcement("a", {0: (1, 1)}))
    pending.note_heartbeat(WorkerAnnounced(worker_id="t", service="tool-gateway"))
    assert pending.is_full


def test_while_an_orchestrator_of_an_earlier_version_lives_nothing_is_bounded() -> None:
    clock = Clock()
    pending = PendingSessions(lambda: 1, clock)
    pending.note_accepted(0, 1)
    pending.note_heartbeat(announcement("old", None))
    pending.note_accepted(0, 2)
    pending.note_accepted(0, 3)
    assert not pending.is_full
    clock.now += EARLIER_VERSION_SECONDS
    assert pending.is_full


async def test_whoever_can_wait_goes_on_when_there_is_room() -> None:
    pending, steps = PendingSessions(lambda: 1), asyncio.Event()
    pending.note_heartbeat(announcement("a", {0: (1, 1)}))
    waiting = asyncio.ensure_future(pending.wait_for_capacity(steps.set))
    async with asyncio.timeout(30):
        await steps.wait()
        assert not waiting.done()
        pending.note_heartbeat(announcement("a", {0: (0, 1)}))
        await waiting


@pytest.fixture
def two_may_wait(config_dir: Path) -> None:
    file = config_dir / "tarsy.yaml"
    config = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**config, "queue": {"max_pending": 2}}))


async def announce(publisher: Publisher, waiting: int) -> None:
    """All that was accepted until now is decided."""
    queues = {number: (waiting if number == 0 else 0, 1_000) for number in range(FEW_PARTITIONS.log)}
    await publisher.publish(publisher.topics.workers, announcement("a", queues), key="a", id="a", subject="a")


@pytest.mark.usefixtures("two_may_wait")
async def test_above_the_limit_senders_come_again_and_what_lies_on_kafka_waits_there_in_order(
    bus: Bus, start_ingest: StartIngest, records: Records
) -> None:
    publisher = Publisher(bus, source="test", now=lambda: datetime.now(UTC))

    async def accepted() -> set[str]:
        return {str(alert_in(record).data) for record in await records(bus.topics.inbox)}

    async def until_accepted(wanted: set[str]) -> None:
        async def look() -> bool:
            return await accepted() == wanted

        await eventually(look, f"{wanted} in the inbox")

    async with publisher.running(), start_ingest() as ingest:

        async def post(number: int) -> int:
            answer = await ingest.client.post("/api/v1/alerts", json={"data": f"alert {number}"})
            assert (answer.headers.get("retry-after") == "30") is (answer.status_code == 503)
            return answer.status_code

        assert [await post(number) for number in range(4)] == [202, 202, 503, 503]
        assert (ingest.counted("api", "queue_full"), ingest.value("tarsy_ingest_sessions_pending")) == (2, 2)
        assert "queue.max_pending" in str((await ingest.client.get("/ready")).json()["degraded"])

        for number in range(3):
            record = f"record {number}".encode()
            await publisher.write(bus.topics.alerts, key=b"one", value=record, headers=[])
        first = {"alert 0", "alert 1"}
        assert await accepted() == first

        await announce(publisher, waiting=0)
        await until_accepted({*first, "record 0", "record 1"})
        await announce(publisher, waiting=2)
        assert await post(9) == 503
        await announce(publisher, waiting=0)
        await until_accepted({*first, "record 0", "record 1", "record 2"})


@pytest.mark.usefixtures("two_may_wait")
async def test_what_only_joins_a_session_needs_no_room(bus: Bus, start_ingest: StartIngest, records: Records) -> None:
    publisher = Publisher(bus, source="test", now=lambda: datetime.now(UTC))

    async def look() -> bool:
        return len(await records(bus.topics.inbox)) == 4

    async with publisher.running(), start_ingest() as ingest:

        async def post(number: int) -> int:
            return (await ingest.client.post("/api/v1/alerts", json={"data": f"alert {number}"})).status_code

        assert [await post(number) for number in (0, 1, 2, 0)] == [202, 202, 503, 202]
        await publisher.write(bus.topics.alerts, key=b"one", value=b"alert 1", headers=[])
        await eventually(look, "the repeat on the topic in the inbox")
