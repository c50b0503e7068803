"""Whatever is written to the alerts topic ends in the inbox or in the dead letters, and never nowhere."""

import json
from typing import Any

import pytest
import structlog
from aiokafka import TopicPartition
from ingest_running import Ingest, Records, StartIngest, Writable, alert_in, session_of
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus, producer
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import delivery
from tarsy_bus.topics.topics_admin import WrongTopicsError, admin, cluster_id
from tarsy_contracts.messages.dead_letters import RedriveOrigin
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived
from tarsy_contracts.wire.ids import session_beside, session_of_record
from tarsy_contracts.wire.topics import Topics
from tarsy_ingest.app import build
from tarsy_ingest.settings import IngestSettings
from tarsy_testing.real_servers import FEW_PARTITIONS, eventually

WEBHOOK = "/api/v1/alerts/alertmanager"


async def write(
    bus: Bus, *values: bytes | None, headers: list[tuple[str, bytes]] | None = None, partition: int = 0
) -> None:
    """As kcat would: no envelope. All to one partition, so that their order is known."""
    writing = producer(bus)
    await writing.start()
    try:
        for value in values:
            await writing.send_and_wait(bus.topics.alerts, value, key=b"k", headers=headers, partition=partition)
    finally:
        await writing.stop()


async def arrived(records: Records, topic: str, count: int) -> list[Record]:
    async def enough() -> list[Record]:
        found = await records(topic)
        return found if len(found) >= count else []

    return await eventually(enough, f"{count} records in {topic}")


async def alerts_told(records: Records, topic: str, count: int) -> set[str]:
    """What the alerts say, each once: a rebalance may bring a record twice."""

    async def enough() -> set[str] | None:
        found = {alert_in(record).data for record in await records(topic)}
        return found if len(found) >= count else None

    return await eventually(enough, f"{count} alerts in {topic}")


async def committed(bus: Bus) -> int:
    """The offset that the group goes on from, in the partition that the tests write to."""
    async with admin(bus) as client:
        offsets = await client.list_consumer_group_offsets(f"{bus.topics.prefix}.ingest")
    found = offsets.get(TopicPartition(bus.topics.alerts, 0))
    return found.offset if found is not None else 0


async def until_committed(bus: Bus, offset: int) -> int:
    async def reached() -> int | None:
        found = await committed(bus)
        return found if found >= offset else None

    return await eventually(reached, f"offset {offset} is committed")


async def until_attempted(ingest: Ingest, times: int, *, source: str = "kafka") -> bool:
    async def attempted() -> bool:
        return (ingest.counted(source, "not_written") or 0) >= times

    return await eventually(attempted, f"{times} attempts to write")


async def test_every_form_of_record_becomes_an_alert(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    event = {"specversion": "1.0", "id": "e-1", "source": "/monitoring", "type": "disk.full", "data": {"host": "db-1"}}
    await write(bus, b"disk full on db-1", json.dumps(samples["firing"]).encode(), json.dumps(event).encode())
    await write(bus, b'{"data": "disk full", "alert_type": "database"}')
    await write(bus, b"disk full", headers=[("ce_id", b"e-2"), ("ce_source", b"/monitoring")])
    found = await arrived(records, bus.topics.inbox, 5)
    alerts = {session_of(record): alert_in(record) for record in found}
    assert sorted(alert.source for alert in alerts.values()) == [
        "alertmanager",
        "cloudevent",
        "cloudevent",
        "kafka",
        "kafka",
    ]
    first = session_of_record(cluster=await cluster_id(bus), topic=bus.topics.alerts, partition=0, offset=0)
    inputs = [delivery(record).decode(INPUTS) for record in found]
    keys = [one.deduplication.key for one in inputs if isinstance(one, AlertReceived) and one.deduplication]
    beside = {session_beside(first, key, FEW_PARTITIONS.log) for key in keys}
    assert [alerts[one].data for one in beside & alerts.keys()] == ["disk full on db-1"]


async def test_what_is_wrong_with_a_choice_sends_no_alert_to_the_dead_letters(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    await write(bus, b'{"data": "first", "priority": "P1", "mcp": "password: hunter2-very-secret"}')
    await write(bus, b'{"data": "second", "mcp": {"servers": [{"name": "password: hunter2-very-secret"}]}}')
    found = await arrived(records, bus.topics.inbox, 2)
    alerts = {alert.mcp is None: alert for alert in map(alert_in, found)}
    assert '"data": "first"' in alerts[True].data
    assert alerts[False].data == "second"
    assert b"hunter2" not in b"".join(record.value or b"" for record in found)
    assert await records(bus.topics.dead_letters) == []


async def test_what_was_there_before_the_first_start_is_read(
    start_ingest: StartIngest, bus: Bus, records: Records
) -> None:
    await write(bus, b"disk full")
    async with start_ingest():
        assert len(await arrived(records, bus.topics.inbox, 1)) == 1


async def test_control_characters_are_counted_as_they_are_written_down(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    """Each takes six bytes: what followed from such an alert fitted no record, and nothing was decided on it."""
    await write(bus, b"\x01" * 696_000, b"disk full")
    (letter,) = await arrived(records, bus.topics.dead_letters, 1)
    (record,) = await arrived(records, bus.topics.inbox, 1)
    assert alert_in(record).data == "disk full"
    reason = dict(letter.headers)["dead-letter-reason"]
    assert reason == b"/: takes more than 2621440 bytes once it is masked and written down as JSON"
    assert ingest.value("tarsy_ingest_dead_letters_total", reason="too_large") == 1


async def test_what_cannot_be_read_is_kept_as_it_was_and_the_next_is_read(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    await write(bus, b"\xff\xff", None, b'{"data": 5}', b"x" * (1024 * 1024 + 1), b"disk full")
    letters = await arrived(records, bus.topics.dead_letters, 4)
    (record,) = await arrived(records, bus.topics.inbox, 1)
    assert alert_in(record).data == "disk full"
    told = {dict(letter.headers)["dead-letter-offset"]: (letter, dict(letter.headers)) for letter in letters}
    assert told[b"0"][0].value == b"\xff\xff"
    assert [told[str(offset).encode()][1]["dead-letter-reason"] for offset in range(4)] == [
        b"/: is not UTF-8 text",
        b"/: is empty",
        b"/data: Input should be a valid string",
        b"/: is larger than 1048576 bytes",
    ]
    assert told[b"0"][1]["dead-letter-topic"] == bus.topics.alerts.encode()
    assert ingest.value("tarsy_ingest_dead_letters_total", reason="refused") == 3
    assert ingest.value("tarsy_ingest_dead_letters_total", reason="too_large") == 1
    assert ingest.counted("kafka", "dead_letter") == 4
    kept = ingest.value("tarsy_kafka_records_total", service="ingest", topic="dead-letters", outcome="ok")
    assert kept == 4


def beside_key(session_id: str, record: Record) -> str:
    """The session that the alert of the record starts for an episode."""
    message = delivery(record).decode(INPUTS)
    assert isinstance(message, AlertReceived)
    assert message.deduplication is not None
    return session_beside(session_id, message.deduplication.key, FEW_PARTITIONS.log)


async def test_a_re_driven_alert_meets_the_session_of_its_first_place(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    """Re-driven twice, and after it had been accepted: it is the same input of the same session."""
    cluster = await cluster_id(bus)
    origin = RedriveOrigin(cluster, bus.topics.alerts, 0, 0, 1, 1)
    await write(bus, b"disk full")
    await write(bus, b"disk full", headers=origin.headers())
    await write(bus, b"disk full", headers=origin.headers())
    found = await arrived(records, bus.topics.inbox, 3)
    session = session_of_record(cluster=cluster, topic=bus.topics.alerts, partition=0, offset=0)
    assert {session_of(record) for record in found} == {beside_key(session, found[0])}
    assert len({delivery(record).envelope.id for record in found}) == 1


async def test_a_stranger_takes_the_identity_of_no_record_that_is_yet_to_come(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    cluster = await cluster_id(bus)
    for origin in (
        RedriveOrigin(cluster, bus.topics.alerts, 0, 2, 1, 1),
        RedriveOrigin("another", bus.topics.alerts, 0, 0, 1, 1),
    ):
        await write(bus, b"mine", headers=origin.headers())
    await write(bus, b"disk full")
    found = await arrived(records, bus.topics.inbox, 3)
    topic = bus.topics.alerts
    own = [session_of_record(cluster=cluster, topic=topic, partition=0, offset=offset) for offset in range(3)]
    sessions = {session_of(one) for one in found}
    assert len(sessions) == 3
    assert sessions <= {beside_key(of, one) for of in own for one in found}


async def test_a_re_driven_record_that_fails_again_is_the_same_letter(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    await write(bus, b"\xff", headers=[("a", b"1")])
    await write(bus, b"\xff", headers=[("a", b"1"), *RedriveOrigin("any", bus.topics.alerts, 0, 0, 7, 1).headers()])
    letters = [dict(letter.headers) for letter in await arrived(records, bus.topics.dead_letters, 2)]
    assert {letter["dead-letter-offset"] for letter in letters} == {b"0"}
    assert {letter["dead-letter-attempt"] for letter in letters} == {b"1", b"2"}
    assert {letter["dead-letter-service"] for letter in letters} == {b"ingest"}
    assert not any(name.startswith("redrive-") for letter in letters for name in letter)


async def test_of_a_webhook_with_a_wrong_alert_the_others_are_taken_and_the_dead_letters_tell(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    right = {"status": "firing", "labels": {"alertname": "a"}, "startsAt": "2026-11-28T02:14:00Z", "fingerprint": "f"}
    await write(bus, json.dumps({"version": "4", "alerts": [right | {"labels": None}, right]}).encode())
    (letter,) = await arrived(records, bus.topics.dead_letters, 1)
    (record,) = await arrived(records, bus.topics.inbox, 1)
    assert alert_in(record).title == "a"
    assert dict(letter.headers)["dead-letter-reason"].decode().startswith("/alerts/0/labels: ")


async def test_the_reason_of_a_dead_letter_does_not_repeat_what_was_sent(
    ingest: Ingest, bus: Bus, records: Records
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    firing = {"status": token, "labels": {token: 1}, "startsAt": "now", "fingerprint": "f"}
    with structlog.testing.capture_logs() as logged:
        await write(bus, json.dumps({"version": "4", "alerts": [firing]}).encode())
        (record,) = await arrived(records, bus.topics.dead_letters, 1)
    reason = dict(record.headers)["dead-letter-reason"].decode()
    assert "/alerts/0/status" in reason
    assert token not in f"{reason} {logged}"


async def test_a_header_that_is_not_text_loses_no_alert(ingest: Ingest, bus: Bus, records: Records) -> None:
    await write(bus, b"disk full", headers=[("x", b"\xff\xff")])
    await write(bus, b"disk empty", headers=[("ce_id", b"\xff\xff")])
    (record,) = await arrived(records, bus.topics.inbox, 1)
    (letter,) = await arrived(records, bus.topics.dead_letters, 1)
    assert alert_in(record).data == "disk full"
    assert letter.value == b"disk empty"


async def test_a_record_that_was_handed_over_is_not_read_again(
    start_ingest: StartIngest, bus: Bus, records: Records
) -> None:
    async with start_ingest():
        await write(bus, b"one")
        await until_committed(bus, 1)
    async with start_ingest():
        await write(bus, b"two")
        found = await arrived(records, bus.topics.inbox, 2)
    assert [alert_in(record).data for record in sorted(found, key=lambda record: record.timestamp)] == ["one", "two"]


async def test_the_same_alert_over_http_and_kafka_meets_itself(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    answer = await ingest.client.post(WEBHOOK, json=samples["firing"])
    await write(bus, json.dumps(samples["firing"]).encode())
    found = await arrived(records, bus.topics.inbox, 2)
    assert {session_of(record) for record in found} == {answer.json()["alerts"][0]["session_id"]}


async def test_an_outage_is_waited_out_and_nothing_is_passed_over(
    ingest: Ingest, bus: Bus, records: Records, inbox_writable: Writable
) -> None:
    await inbox_writable(False)
    await write(bus, b"one", b"two", b"three")
    await until_attempted(ingest, 2)
    assert await committed(bus) == 0
    await inbox_writable(True)
    await until_committed(bus, 3)
    found = {delivery(record).envelope.id: alert_in(record).data for record in await records(bus.topics.inbox)}
    assert sorted(found.values()) == ["one", "three", "two"]


async def test_a_resolved_alert_is_counted_once_however_often_its_record_is_tried(
    ingest: Ingest, bus: Bus, inbox_writable: Writable, samples: dict[str, Any]
) -> None:
    webhook = samples["resolved"]
    firing = webhook["alerts"][0] | {"status": "firing", "fingerprint": "f1"}
    await inbox_writable(False)
    await write(bus, json.dumps(webhook | {"alerts": [*webhook["alerts"], firing]}).encode())
    await until_attempted(ingest, 2, source="alertmanager")
    await inbox_writable(True)
    await until_committed(bus, 1)
    assert ingest.counted("alertmanager", "resolved") == 1


async def test_a_resolution_on_the_topic_is_reported_to_the_session_of_its_alert(
    ingest: Ingest, bus: Bus, records: Records, samples: dict[str, Any]
) -> None:
    await write(bus, json.dumps(samples["firing"]).encode(), json.dumps(samples["resolved"]).encode())
    await until_committed(bus, 2)
    found = await records(bus.topics.inbox)
    assert len({session_of(record) for record in found}) == 1
    assert sorted(delivery(record).envelope.type for record in found) == ["alert.received", "alert.resolution_reported"]


async def test_who_dies_in_an_outage_leaves_the_record_to_the_next_under_the_same_id(
    start_ingest: StartIngest, bus: Bus, records: Records, inbox_writable: Writable
) -> None:
    async with start_ingest() as first:
        await inbox_writable(False)
        await write(bus, b"one")
        await until_attempted(first, 1)
    assert await committed(bus) == 0
    await inbox_writable(True)
    async with start_ingest():
        await until_committed(bus, 1)
        found = await records(bus.topics.inbox)
    assert len({delivery(record).envelope.id for record in found}) == 1
    assert {alert_in(record).data for record in found} == {"one"}


async def test_two_share_the_topic_and_nothing_is_lost_when_one_leaves(
    start_ingest: StartIngest, bus: Bus, records: Records
) -> None:
    async with start_ingest():
        async with start_ingest():
            for partition in range(FEW_PARTITIONS.log):
                await write(bus, f"early {partition}".encode(), partition=partition)
        for partition in range(FEW_PARTITIONS.log):
            await write(bus, f"late {partition}".encode(), partition=partition)

        told = await alerts_told(records, bus.topics.inbox, 2 * FEW_PARTITIONS.log)
    assert told == {f"{when} {partition}" for when in ("early", "late") for partition in range(FEW_PARTITIONS.log)}


async def test_a_secret_in_a_record_does_not_reach_the_inbox(ingest: Ingest, bus: Bus, records: Records) -> None:
    await write(bus, b"connected to postgres://checkout:fake-0rders-Pa55-4417@orders-db.shop.svc:5432/orders")
    (record,) = await arrived(records, bus.topics.inbox, 1)
    assert b"fake-0rders-Pa55-4417" not in (record.value or b"")


async def test_without_its_topics_the_service_stops_with_a_sentence(kafka_bootstrap: str, config_dir: Any) -> None:
    settings = IngestSettings(kafka=kafka_bootstrap, topic_prefix="nowhere", config_dir=config_dir)
    service = build(settings, CollectorRegistry())
    with pytest.raises(WrongTopicsError, match=rf"topic {Topics('nowhere').alerts} is missing.*tarsy topics apply"):
        await service.run(lambda: None)
