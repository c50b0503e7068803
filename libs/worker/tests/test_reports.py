"""What a worker tells the owners, on a real Kafka."""

import asyncio
from datetime import UTC, datetime

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.records import delivery
from tarsy_contracts.messages.inputs import INPUTS, CallClaimed, CallNotStarted
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import make_ours, read_all
from tarsy_worker.reports import InboxClient, id_of

CLAIM = CallClaimed(call_id="c", claim_id="x", worker_id="w")
NOT_STARTED = CallNotStarted(call_id="c", claim_id="x", worker_id="w", reason="busy")


@pytest.mark.timing
async def test_a_report_is_repeated_until_kafka_has_it(bare: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Publisher(bare, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        with monkeypatch.context() as hurried:
            hurried.setattr("tarsy_bus.client.publisher.WRITE_SECONDS", 0.2)
            saying = asyncio.create_task(InboxClient(publisher).report("s", CLAIM))
            done, _ = await asyncio.wait([saying], timeout=0.5)
            assert not done
        await make_ours(bare, bare.topics.inbox)
        async with asyncio.timeout(90):
            await saying
    records = await read_all(bare, bare.topics.inbox)
    assert records, "one that was taken for lost may lie there, too"
    for record in records:
        found = delivery(record)
        assert found.decode(INPUTS) == CLAIM
        assert (record.key, found.envelope.subject, found.envelope.id) == (b"s", "s", id_of(CLAIM))


async def test_a_report_for_a_session_whose_id_fits_no_record_is_left_out(bare: Bus) -> None:
    """Only a stranger's request has such an id. It is no reason to end the worker, and all that run in it."""
    async with Publisher(bare, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        await InboxClient(publisher).report("s" * LIMIT_BYTES, CLAIM)


def test_the_same_report_has_the_same_id_and_another_has_another() -> None:
    assert id_of(CLAIM) == id_of(CLAIM.model_copy(update={"worker_id": "v"}))
    assert id_of(CLAIM) != id_of(CLAIM.model_copy(update={"claim_id": "y"}))
    assert id_of(CLAIM) != id_of(NOT_STARTED)
