"""A whole system on a Kafka with an authorizer: it has the rights that `tarsy topics acls` prints, and uses each."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import httpx2
import mcp_progress
import pytest
import yaml
from pydantic import JsonValue

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.topics.kafka_rights import (
    ALERT_SENDER,
    AUDITOR,
    CONSUMER,
    INGEST,
    ORCHESTRATOR,
    READER,
    SERVICES,
    TOOL_GATEWAY,
    TOPICS_APPLY,
    KafkaUser,
    Right,
)
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.ids import execution_id, llm_call_id, stage_id, tool_call_id
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.guarded_kafka import GuardedKafka, environment_of, guarded_kafka
from tarsy_testing.servers.webhook import Webhook
from tarsy_testing.story.incident import alert_now
from tarsy_testing.system.investigation import shown, submit, watched
from tarsy_testing.system.questions import ask_question
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import PATIENT, System, running

TOPICS = Topics("guarded")
USERS = (*SERVICES, TOPICS_APPLY, ALERT_SENDER, READER, AUDITOR, CONSUMER)
SELDOM = {
    ("orchestrator", "Write", TOPICS.catalog),
    ("topics-apply", "Read", TOPICS.heads),
    ("tool-gateway", "Write", TOPICS.mcp_tokens),
    ("timeline", "Read", TOPICS.dead_letters),
    ("timeline", "Write", TOPICS.dead_letters),
    ("timeline", "Write", TOPICS.alerts),
    ("timeline", "Write", TOPICS.catalog),
    ("timeline", "Read", TOPICS.events),
    ("websocket-gateway", "Write", TOPICS.audit),
}
"""Rights that this investigation has no use for: an orchestrator ends entries that nobody repeated for an hour, heads
tell the number of partitions where its record was lost, no server of it wants a person's login, operators re-drive dead
letters, nobody pauses actions, the first timeline finds no public events that it could go on behind, and nobody logs in
at the page."""
READ_ON = "Read the log again, please."
READ_AGAIN = "The log says what it said."
LINES = "I look at the pods first.\n" * 20
"""Chunks are whole lines."""
COUNTER = Path(mcp_progress.__file__)


@pytest.fixture(scope="module")
def kafka(work_folder: Path) -> Iterator[GuardedKafka]:
    with guarded_kafka(work_folder / "least-rights") as kafka:
        yield kafka


@pytest.fixture(scope="module")
def admins_bus(kafka: GuardedKafka) -> Bus:
    """The topics are made by the user who may do just that. All users have their rights."""

    async def make() -> None:
        for user in USERS:
            await kafka.grant(TOPICS, user)
        await apply_topics(kafka.bus(TOPICS, TOPICS_APPLY))

    asyncio.run(make())
    return kafka.bus(TOPICS)


@pytest.fixture
async def guarded(
    admins_bus: Bus, tmp_path: Path, config_dir: Path, database_url: str, database_schema: str, forks: ServiceForks
) -> AsyncIterator[System]:
    folder = tmp_path / "system"
    folder.mkdir()
    system = System(
        admins_bus,
        folder,
        config_dir,
        database_url,
        database_schema,
        dict(PATIENT),
        {user.name: environment_of(user) for user in SERVICES},
        forks=forks,
    )
    with running(system):
        yield system


def write_script(config_dir: Path, session_id: str) -> None:
    """Every result gets a summary: what fits into the log is read there, the long log of the pod in the results.

    The reply reads on in both, by ids that follow from that of the session.
    """

    def result(iteration: int) -> JsonValue:
        call = tool_call_id(llm_call_id(execution_id(stage_id(session_id, 1), 1), iteration, 1), 0)
        return {"name": "tarsy__read_result", "arguments": {"result": call.replace("-", "")}}

    pods: JsonValue = {"name": "kubernetes__pods_list", "arguments": {"namespace": "shop"}}
    arguments: JsonValue = {"namespace": "shop", "name": "checkout-7c9d6f5b84-x2x7k"}
    count: JsonValue = {"name": "counter__count", "arguments": {}}
    read: JsonValue = {"name": "kubernetes__pods_log", "arguments": arguments}
    turns: list[JsonValue] = [
        {"agent": "KubernetesAgent", "iteration": 1, "text": LINES, "tool_calls": [pods, count]},
        {"agent": "KubernetesAgent", "iteration": 2, "text": "I read.", "tool_calls": [read]},
        {"agent": "KubernetesAgent", "iteration": 3, "text": "The release is it."},
        {"agent": "Summarizer", "text": "Much was said."},
        {"agent": "ExecSummaryAgent", "text": "It was the release."},
        {"agent": "ChatAgent", "iteration": 1, "text": "I look.", "tool_calls": [result(1), result(2)]},
        {"agent": "ChatAgent", "iteration": 2, "needs": [READ_ON], "text": READ_AGAIN},
    ]
    (config_dir / "rights.yaml").write_text(yaml.safe_dump({"turns": turns}), "utf-8")


def use_script(config_dir: Path, hook: Webhook) -> None:
    file = config_dir / "tarsy.yaml"
    config = yaml.safe_load(file.read_text("utf-8"))
    config["mcp_servers"]["kubernetes"]["summarization"] = {"size_threshold_tokens": 100}
    config["mcp_servers"]["counter"] = {
        "transport": {"type": "stdio", "command": sys.executable, "args": [str(COUNTER)]}
    }
    config["agents"]["KubernetesAgent"]["mcp_servers"].append("counter")
    config["llm_providers"]["scripted"]["script"] = ["rights.yaml"]
    config["notifications"] = {"other": {"type": "webhook", "url": hook.url}}
    file.write_text(yaml.safe_dump(config), "utf-8")


async def start_all_but(system: System, service: str) -> None:
    timeline = system.start("timeline")
    system.environment["TARSY_TIMELINE_URL"] = timeline.url
    others = [system.start(user.name) for user in SERVICES if user.name not in ("timeline", service)]
    for process in (timeline, *others):
        await system.until_ready(process)


async def write_garbage(bus: Bus, topics: list[str]) -> None:
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        for topic in topics:
            await publisher.write(topic, key=b"stranger", value=b"\xff none of yours", headers=[])


async def write_newer_input(bus: Bus) -> str:
    """An input of a type that is not known here sets its session aside."""
    session_id = str(uuid4())
    envelope = Envelope(
        id=str(uuid4()),
        type="tool_call.teleported",
        version=1,
        source="test",
        subject=session_id,
        time=datetime.now(UTC),
    )
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        await publisher.write(bus.topics.inbox, key=session_id.encode(), value=b"{}", headers=envelope.headers())
    return session_id


async def until_held(system: System, session_id: str) -> None:
    async def look() -> bool:
        return session_id in json.dumps(await asyncio.to_thread(system.get, "/api/v1/system/held-sessions"))

    await eventually(look, "the session is set aside")


async def records_of(bus: Bus, topic: str) -> list[Record]:
    found: list[Record] = []
    partitions = next(one.partitions for one in bus.topics.all() if one.name == topic)
    await read_to_end(bus, topic, dict.fromkeys(range(partitions), 0), found.append)
    return found


async def join_a_group(bus: Bus, group: str, topic: str) -> None:
    consumer = member(bus, f"{bus.topics.prefix}.{group}.of-a-test")
    try:
        consumer.subscribe([topic])
        await start_client(consumer)

        async def look() -> bool:
            return bool(consumer.assignment())

        await eventually(look, "the group has a member")
    finally:
        await stop_client(consumer)


def unused(kafka: GuardedKafka, user: KafkaUser) -> set[tuple[str, str, str]]:
    """Rights that no request of the user needed: by the very operation that it was granted."""
    used = [(one.operation, one.resource, one.name) for one in set(kafka.audited()) if one.user == user.name]
    return {
        (user.name, operation, right.name)
        for right in user.rights(TOPICS)
        for operation in right.operations
        if not any(operation == named and right.covers(resource, name) for named, resource, name in used)
    }


async def test_an_investigation_runs_with_the_least_rights_and_uses_each_of_them(
    guarded: System, config_dir: Path, kafka: GuardedKafka, hook: Webhook
) -> None:
    bus = guarded.bus
    use_script(config_dir, hook)
    write_script(config_dir, "unknown")
    await start_all_but(guarded, "orchestrator")
    session = submit(guarded)
    write_script(config_dir, session.session_id)
    await guarded.until_ready(guarded.start("orchestrator"))

    async with watched(guarded, session.session_id):
        told = await session.until_ended()
    assert "session.completed" in told.types, told.events(e.SessionFailed)
    assert {one.outcome for one in told.events(e.ToolCallCompleted)} == {"ok"}
    assert told.events(e.SummaryCompleted)

    async def is_told() -> bool:
        return told.accepted[-1].envelope.id in hook.ids

    await eventually(is_told, lambda: f"the webhook is told of the end: {hook.ids}")
    await ask_question(guarded, session.session_id, READ_ON)
    told = await session.until("reply.completed")
    await shown(guarded, session.session_id, told)
    reply = await asyncio.to_thread(guarded.get, f"/api/v1/sessions/{session.session_id}/timeline")
    assert READ_AGAIN in json.dumps(reply)
    for call in told.events(e.ToolCallCompleted):
        path = f"/api/v1/sessions/{session.session_id}/tool-calls/{call.call_id}/result"
        assert await asyncio.to_thread(guarded.get, path)

    aside = await write_newer_input(bus)
    await until_held(guarded, aside)
    guarded.post("timeline", f"/api/v1/sessions/{aside}/release", {})
    guarded.post("ingest", "/api/v1/alerts", {"data": "a person asks"})
    await check_strangers(kafka, bus)
    # Another owner reads what the first one wrote.
    guarded.of("orchestrator").kill()
    await guarded.started("orchestrator")

    assert [one for one in kafka.audited() if not one.allowed and one.user in {user.name for user in USERS}] == []
    left: set[tuple[str, str, str]] = set()

    async def all_are_used() -> bool:
        """Commits and announcements come later than what is waited for above."""
        left.clear()
        left.update(*(unused(kafka, user) for user in USERS))
        return left == SELDOM

    await eventually(all_are_used, lambda: f"{left - SELDOM} are not used, and {SELDOM - left} are")


async def check_strangers(kafka: GuardedKafka, bus: Bus) -> None:
    """Alerts from elsewhere, records that nobody can read, and somebody who reads along."""
    async with Publisher(
        kafka.bus(TOPICS, ALERT_SENDER), source="test", now=lambda: datetime.now(UTC)
    ).running() as out:
        value = json.dumps(alert_now()).encode()
        await out.write(TOPICS.alerts, key=None, value=value, headers=[])
    garbage = [TOPICS.alerts, TOPICS.inbox, TOPICS.tool_calls, TOPICS.summaries]
    await write_garbage(bus, garbage)

    async def look() -> bool:
        found = [dict(record.headers) for record in await records_of(bus, TOPICS.dead_letters)]
        return {headers["dead-letter-topic"].decode() for headers in found} == set(garbage)

    await eventually(look, "a record of each lies in the dead letters")
    reader = kafka.bus(TOPICS, READER)
    assert await records_of(reader, TOPICS.sessions)
    assert await records_of(reader, TOPICS.results)
    await join_a_group(reader, "reader", TOPICS.sessions)
    auditor = kafka.bus(TOPICS, AUDITOR)
    acts = [
        ActRequested.model_validate_json(record.value or b"").act for record in await records_of(auditor, TOPICS.audit)
    ]
    # A question that nobody decided on in time is sent again.
    assert list(dict.fromkeys(acts)) == [
        "POST /api/v1/sessions/{session_id}/chat/messages",
        "POST /api/v1/sessions/{session_id}/release",
        "POST /api/v1/alerts",
    ]
    consumer = kafka.bus(TOPICS, CONSUMER)
    assert await records_of(consumer, TOPICS.events)
    await join_a_group(consumer, "consumer", TOPICS.events)


LACKING = [
    (TOOL_GATEWAY, Right("topic", TOPICS.results, ("Write",)), f"Write on topic {TOPICS.results}"),
    (INGEST, Right("group", f"{TOPICS.prefix}.ingest", ("Read",)), f"Read on group {TOPICS.prefix}.ingest"),
    (ORCHESTRATOR, Right("topic", TOPICS.heads, ("Read",)), f"Read on topic {TOPICS.heads}"),
]


@pytest.mark.parametrize(("user", "right", "named"), LACKING, ids=lambda one: getattr(one, "name", ""))
async def test_a_service_that_lacks_one_right_ends_at_its_start_and_names_it(
    user: KafkaUser, right: Right, named: str, guarded: System, kafka: GuardedKafka
) -> None:
    await kafka.revoke(TOPICS, user, right)
    try:
        process = guarded.start(user.name)
        code = await asyncio.to_thread(process.process.wait, 120)
    finally:
        await kafka.grant(TOPICS, user)
    assert code == 2
    last = process.last_lines.splitlines()[-1]
    assert last == (
        f"Kafka at {guarded.bus.bootstrap} does not let the user {user.name} do what {user.name} needs: {named}. "
        f"`tarsy topics acls --service {user.name} --prefix {TOPICS.prefix}` prints all rights for it"
    )


async def test_an_ingest_that_may_not_read_the_catalog_starts_and_says_what_it_does_not_check(
    guarded: System, kafka: GuardedKafka
) -> None:
    await kafka.revoke(TOPICS, INGEST, Right("topic", TOPICS.catalog, ("Read",)))
    try:
        process = await guarded.started("ingest")

        async def said() -> bool:
            answer = await asyncio.to_thread(httpx2.get, f"{process.url}/ready", timeout=30)
            return f"--operation Read --topic {TOPICS.catalog}` grants it" in str(answer.json()["degraded"])

        await eventually(said, lambda: f"the right is named: {process.last_lines}")
        body: JsonValue = {"data": "disk full", "mcp": {"servers": [{"name": "kubernetes", "tools": ["anything"]}]}}
        guarded.post("ingest", "/api/v1/alerts", body)
    finally:
        await kafka.grant(TOPICS, INGEST)
    assert "tools.not_checked" in process.log.read_text()
