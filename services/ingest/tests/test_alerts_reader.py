"""What the alerts topic holds, or does not hold any more, never shuts the HTTP door."""

from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete
from aiokafka.errors import CommitFailedError
from ingest_running import Ingest, Records, StartIngest, Writable, alert_in

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.queues.start_positions import hold
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.topics.topics_admin import admin
from tarsy_ingest.topic.record_parser import read_record
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.foreign_batches import CODECS, batch_of, with_a_broken_name, write_batch

ALERT = {"alert_type": "database", "data": "disk full over HTTP"}


async def told(records: Records, topic: str, count: int) -> set[str]:
    async def enough() -> set[str] | None:
        found = {alert_in(record).data for record in await records(topic)}
        return found if len(found) >= count else None

    return await eventually(enough, f"{count} alerts in {topic}")


async def letters(records: Records, bus: Bus, count: int) -> list[Record]:
    async def enough() -> list[Record] | None:
        found = await records(bus.topics.dead_letters)
        return found if len(found) >= count else None

    return await eventually(enough, f"{count} dead letters")


async def delete_before(bus: Bus, offset: int) -> None:
    async with admin(bus) as client:
        await client.delete_records({TopicPartition(bus.topics.alerts, 0): RecordsToDelete(before_offset=offset)})


async def until_not_read(ingest: Ingest) -> str:
    async def refused() -> str | None:
        answer = await ingest.client.get("/ready")
        assert answer.status_code == 200, "who routes by /ready would shut the HTTP door"
        reasons: dict[str, list[str]] = answer.json()["degraded"]
        return next(iter(reasons.get("ingest", [])), None)

    return await eventually(refused, "/ready says why the topic is not read")


async def until_read(ingest: Ingest) -> None:
    async def read() -> bool:
        return bool((await ingest.client.get("/ready")).json()["degraded"] == {})

    await eventually(read, "the topic is read")


async def go_on_at(bus: Bus, offset: int) -> None:
    """What an operator does with kafka-consumer-groups, between two tries of the ingest."""
    place = TopicPartition(bus.topics.alerts, 0)

    async def committed() -> bool:
        consumer = member(bus, f"{bus.topics.prefix}.ingest")
        try:
            await start_client(consumer)
            consumer.assign([place])
            hold(consumer, [place])
            await consumer.commit({place: offset})
            return bool((await consumer.committed(place)) == offset)
        except CommitFailedError:
            return False  # a pause of this machine, and the group did not wait
        finally:
            await stop_client(consumer)

    await eventually(committed, "the group goes on where the operator says")


@pytest.mark.parametrize("codec", CODECS)
async def test_compressed_alerts_are_taken(ingest: Ingest, bus: Bus, records: Records, codec: str) -> None:
    await write_batch(bus, bus.topics.alerts, batch_of([b"disk full on db-1", b"disk full on db-2"], codec=codec))
    assert await told(records, bus.topics.inbox, 2) == {"disk full on db-1", "disk full on db-2"}


async def test_a_record_that_cannot_be_parsed_is_buried_and_its_neighbours_are_alerts(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    await write_batch(bus, bus.topics.alerts, with_a_broken_name([b"one", b"two", b"three"], broken=1))
    bomb = batch_of([bytes(20_000_000)] * 2, codec="zstd")
    await write_batch(bus, bus.topics.alerts, bomb)
    await write_batch(bus, bus.topics.alerts, batch_of([b"four"]))
    assert await told(records, bus.topics.inbox, 3) == {"one", "three", "four"}
    found = {dict(letter.headers)["dead-letter-offset"]: letter for letter in await letters(records, bus, 2)}
    assert found[b"1"].value == b"two"
    assert dict(found[b"1"].headers)["dead-letter-reason"] == b"the name of a header is not UTF-8 text"
    assert (found[b"4"].value or b"")[61:] == bomb[61:]
    assert b"larger than 33554432 bytes" in dict(found[b"4"].headers)["dead-letter-reason"]
    # A reader whose heartbeats came late on a busy machine reads a record again.
    assert (ingest.value("tarsy_ingest_dead_letters_total", reason="unparsable") or 0) >= 2
    assert (ingest.value("tarsy_kafka_unparsable_records_total", service="ingest", topic="alerts") or 0) >= 2


async def test_a_record_on_which_our_own_code_fails_is_buried_and_the_next_is_an_alert(
    ingest: Ingest, bus: Bus, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_on_one(value: bytes | None, *rest: Any) -> Any:
        if value == b"odd":
            raise RuntimeError("secret-of-a-stranger")
        return read_record(value, *rest)

    monkeypatch.setattr("tarsy_ingest.topic.alerts_topic.read_record", fails_on_one)
    await write_batch(bus, bus.topics.alerts, batch_of([b"odd", b"even"]))
    assert await told(records, bus.topics.inbox, 1) == {"even"}
    (letter,) = await letters(records, bus, 1)
    assert letter.value == b"odd"
    assert dict(letter.headers)["dead-letter-reason"] == b"TARSy itself failed on it: RuntimeError"
    assert ingest.value("tarsy_ingest_dead_letters_total", reason="unforeseen") == 1


async def test_records_that_were_deleted_before_they_were_read_are_refused_until_an_operator_says_where_to_go_on(
    start_ingest: StartIngest, bus: Bus, records: Records
) -> None:
    await write_batch(bus, bus.topics.alerts, batch_of([b"1", b"2", b"3", b"4"]))
    await go_on_at(bus, 1)
    await delete_before(bus, 3)
    async with start_ingest() as ingest:
        reason = await until_not_read(ingest)
        assert f"{bus.topics.alerts} partition 0 at 1" in reason
        assert f"{bus.topics.prefix}.ingest" in reason
        assert (await ingest.client.post("/api/v1/alerts", json=ALERT)).status_code == 202
        assert await told(records, bus.topics.inbox, 1) == {"disk full over HTTP"}
        assert ingest.value("tarsy_ingest_alerts_topic_failing") == 1
        await go_on_at(bus, 3)
        assert await told(records, bus.topics.inbox, 2) == {"disk full over HTTP", "4"}
        await until_read(ingest)
        assert ingest.value("tarsy_ingest_alerts_topic_failing") == 0


async def test_records_that_are_deleted_while_it_reads_are_never_jumped_over(
    ingest: Ingest, bus: Bus, records: Records, inbox_writable: Writable
) -> None:
    await inbox_writable(False)
    await write_batch(bus, bus.topics.alerts, batch_of([b"one"]))

    async def stuck() -> bool:
        return (ingest.counted("kafka", "not_written") or 0) > 0

    await eventually(stuck, "the first alert waits for the inbox")
    for value in (b"two", b"three", b"four"):
        await write_batch(bus, bus.topics.alerts, batch_of([value]))
    await delete_before(bus, 3)
    await inbox_writable(True)
    assert f"{bus.topics.alerts} partition 0 at" in await until_not_read(ingest)
    assert "four" not in await told(records, bus.topics.inbox, 1)


async def test_an_unexpected_failure_of_the_reader_is_shown_and_tried_again(
    ingest: Ingest, bus: Bus, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret-of-a-stranger")

    with monkeypatch.context() as patch:
        patch.setattr("tarsy_bus.queues.group_consumer.poll", fails)
        await write_batch(bus, bus.topics.alerts, batch_of([b"one"]))
        reason = await until_not_read(ingest)
        assert "RuntimeError" in reason
        assert "secret" not in reason
        assert (await ingest.client.post("/api/v1/alerts", json=ALERT)).status_code == 202
    assert await told(records, bus.topics.inbox, 2) == {"disk full over HTTP", "one"}
    await until_read(ingest)
    assert (ingest.value("tarsy_ingest_alerts_topic_failures_total") or 0) >= 1
