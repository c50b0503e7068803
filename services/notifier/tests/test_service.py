"""The notifier on a real Kafka: Slack and a webhook, each in a group of its own."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer
from notifications import COMPLETED, STARTED, envelope_of
from prometheus_client import CollectorRegistry
from starlette.responses import Response

from tarsy_bus.client.connection import Bus
from tarsy_contracts.public.model import PublicEvent
from tarsy_notifier.app import build
from tarsy_notifier.settings import NotifierSettings
from tarsy_service.process.service import Service
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.slack_server import CHANNEL, TOKEN, SlackServer, slack_error
from tarsy_testing.servers.webhook import Webhook

BASE = """
llm_providers:
  scripted: {type: openai, model: m, api_key_env: NO_KEY, base_url: "http://127.0.0.1:1"}
defaults: {llm_provider: scripted}
"""

type Running = Callable[[], AbstractAsyncContextManager[Service]]


class Configuration:
    """tarsy.yaml with these receivers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def name(self, **receivers: dict[str, object]) -> None:
        (self.folder / "tarsy.yaml").write_text(f"{BASE}\nnotifications: {json.dumps(receivers)}", "utf-8")


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    return Configuration(tmp_path)


@pytest.fixture
def running(bus: Bus, configuration: Configuration, hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> Running:
    """The block begins when the notifier is ready, and ends when it has stopped. A timeline knows no session."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", TOKEN)

    @asynccontextmanager
    async def run() -> AsyncIterator[Service]:
        settings = NotifierSettings(
            kafka=bus.bootstrap,
            topic_prefix=bus.topics.prefix,
            config_dir=configuration.folder,
            config_poll_seconds=0.2,
            timeline_url=f"http://127.0.0.1:{hook.port}",
        )
        service, ready = build(settings, CollectorRegistry()), asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(begin(service, ready))
            try:
                await asyncio.wait_for(ready.wait(), 90)
                yield service
            finally:
                task.cancel()

    return run


async def begin(service: Service, ready: asyncio.Event) -> None:
    await service.run(ready.set)


@asynccontextmanager
async def publishing(bus: Bus) -> AsyncIterator["Topic"]:
    producer = AIOKafkaProducer(bootstrap_servers=bus.bootstrap, acks="all")
    await producer.start()
    try:
        yield Topic(bus, producer)
    finally:
        await producer.stop()


class Topic:
    def __init__(self, bus: Bus, producer: AIOKafkaProducer) -> None:
        self._bus = bus
        self._producer = producer

    async def publish(self, session_id: str, *events: tuple[int, PublicEvent]) -> None:
        for sequence, event in events:
            envelope = envelope_of(event, session_id=session_id, sequence=sequence, at=datetime.now(UTC))
            await self.write(session_id, event.to_bytes(), envelope.headers())

    async def write(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]]) -> None:
        partition = hash(key) % self._bus.layout.log_partitions
        await self._producer.send_and_wait(
            self._bus.topics.events, value, key=key.encode(), partition=partition, headers=list(headers)
        )


WHOLE = ((1, STARTED), (9, COMPLETED))


async def until_told(hook: Webhook, *ids: str) -> None:
    async def told() -> bool:
        return set(ids) <= set(hook.ids)

    await eventually(told, lambda: f"{ids} in {hook.ids}")


async def until_written(slack: SlackServer, count: int) -> None:
    async def written() -> bool:
        return len(slack.messages) >= count

    await eventually(written, lambda: f"{count} messages of {slack.messages}")


async def until_fed(service: Service, receiver: str) -> None:
    async def fed() -> bool:
        return f"receiver {receiver}" in service.supervisor.names

    await eventually(fed, lambda: f"{receiver} among {service.supervisor.names}")


async def until_calm(service: Service) -> None:
    async def calm() -> bool:
        return list(service.degraded_reasons()) == []

    await eventually(calm, lambda: f"no receiver cannot be told: {list(service.degraded_reasons())}")


async def test_people_and_systems_are_told_of_each_investigation_once_over_a_restart(
    bus: Bus, configuration: Configuration, running: Running, slack: SlackServer, hook: Webhook
) -> None:
    configuration.name(
        ops={"type": "slack", "channel": CHANNEL, "api_url": slack.api_url, "events": ["started", "completed"]},
        other={"type": "webhook", "url": hook.url},
    )
    async with publishing(bus) as topic:
        async with running():
            for number in range(5):
                await topic.publish(f"s-{number}", *WHOLE)
            await until_told(hook, *(f"s-{number}-9" for number in range(5)))
            await until_written(slack, 10)
        async with running():
            for number in range(5, 10):
                await topic.publish(f"s-{number}", *WHOLE)
            await topic.publish("s-3", *WHOLE)
            await topic.publish("s-last", *WHOLE)
            await until_told(hook, "s-last-9")
            await until_written(slack, 22)
    assert sorted(slack.event_ids) == sorted(f"s-{name}-{number}" for name in (*range(10), "last") for number in (1, 9))


async def test_a_receiver_that_is_new_is_told_of_nothing_that_happened_before(
    bus: Bus, configuration: Configuration, running: Running, hook: Webhook
) -> None:
    configuration.name(other={"type": "webhook", "url": hook.url})
    async with publishing(bus) as topic:
        await topic.publish("s-1", *WHOLE)
        async with running():
            await topic.publish("s-1", (19, COMPLETED))
            await until_told(hook, "s-1-19")
        await topic.publish("s-1", (29, COMPLETED))
        async with running():
            await until_told(hook, "s-1-29")
    assert set(hook.ids) == {"s-1-19", "s-1-29"}


async def test_an_outage_of_slack_holds_up_no_webhook_and_is_told_of(
    bus: Bus, configuration: Configuration, running: Running, slack: SlackServer, hook: Webhook
) -> None:
    slack.errors["chat.postMessage"] = [slack_error("fatal_error") for _ in range(1_000)]
    configuration.name(
        ops={"type": "slack", "channel": CHANNEL, "api_url": slack.api_url},
        other={"type": "webhook", "url": hook.url},
    )
    async with publishing(bus) as topic, running() as service:
        for number in range(3):
            await topic.publish(f"s-{number}", *WHOLE)

        async def degraded() -> bool:
            return list(service.degraded_reasons()) == [
                "The receiver ops cannot be notified: Slack answers fatal_error"
            ]

        await eventually(degraded, lambda: str(list(service.degraded_reasons())))
        await until_told(hook, "s-0-9", "s-1-9", "s-2-9")
        slack.errors["chat.postMessage"].clear()
        await until_written(slack, 3)
        await until_calm(service)


async def test_a_record_that_is_no_event_costs_itself(
    bus: Bus, configuration: Configuration, running: Running, hook: Webhook
) -> None:
    configuration.name(other={"type": "webhook", "url": hook.url})
    headers = envelope_of(COMPLETED, session_id="s-1").headers()
    async with publishing(bus) as topic, running():
        await topic.write("s-1", b"\xff", headers)
        await topic.write("s-1", b"{}", headers[:3])
        await topic.write("s-1", b"{}", [("ce_type", b"\xff\xfe")])
        await topic.publish("s-1", *WHOLE)
        await until_told(hook, "s-1-9")
    # A reader whose heartbeats came late on a busy machine tells it again.
    assert set(hook.ids) == {"s-1-9"}


async def test_receivers_come_and_go_with_the_configuration(
    bus: Bus, configuration: Configuration, running: Running, slack: SlackServer, hook: Webhook
) -> None:
    configuration.name()
    async with publishing(bus) as topic, running() as service:
        configuration.name(other={"type": "webhook", "url": hook.url})
        await until_fed(service, "other")
        await topic.publish("s-1", *WHOLE)
        await until_told(hook, "s-1-9")
        hook.answer = Response(status_code=500)
        await topic.publish("s-2", *WHOLE)
        await until_told(hook, "s-2-9")
        configuration.name(ops={"type": "slack", "channel": CHANNEL, "api_url": slack.api_url})
        await until_fed(service, "ops")
        await topic.publish("s-3", *WHOLE)
        await until_written(slack, 1)
        await until_calm(service)
