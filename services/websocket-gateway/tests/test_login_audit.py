"""Logins on the real topic of acts, also while its broker is gone: nobody is logged in whom no record names."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from tarsy_audit.page_logins import PageLoginTrail
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.messages.audit import ActRequested
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_service.telemetry.kafka_metrics import kafka_writes
from tarsy_testing.browser.login_world import LIST, LoginWorld, login_world
from tarsy_testing.real_servers import WAIT_SECONDS, bus_of_tests, eventually, own_kafka

LIMIT_SECONDS = 120.0
LIMIT = "tarsy_bus.client.publisher.WRITE_SECONDS"
"""Of a write. While Kafka is there a busy machine has all the time that it needs."""
WRITE_SECONDS = 2.0
"""It is shorter while Kafka is away: nobody has to wait for what does not come."""
NAME = "ada@example.com"
REFUSED = "Kafka did not accept the record of this login, so nobody is logged in. Try again."


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def kafka(tmp_path: Path) -> Iterator[EmbeddedKafka]:
    """A broker of this test's own, to be killed."""
    with own_kafka(tmp_path / "kafka") as kafka:
        yield kafka


@pytest.fixture
async def own_bus(kafka: EmbeddedKafka, registry: CollectorRegistry) -> Bus:
    bus = replace(bus_of_tests(kafka.bootstrap, "t"), wrote=kafka_writes(registry, "websocket-gateway"))
    await apply_topics(bus)
    return bus


@pytest.fixture
async def world(own_bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LoginWorld]:
    monkeypatch.setattr(LIMIT, WAIT_SECONDS)
    publisher = Publisher(own_bus, source="tarsy/test", now=lambda: datetime.now(UTC))
    trail = PageLoginTrail(publisher, lambda text: text.replace("example", "***"), lambda: str(uuid4()), time.monotonic)
    folder = tmp_path / "world"
    folder.mkdir()
    async with publisher.running(), login_world(folder, record=trail.record_unless_repeated) as world:
        yield world


async def recorded(bus: Bus) -> list[ActRequested]:
    found: list[ActRequested] = []

    def take(record: Record) -> None:
        found.append(ActRequested.model_validate_json(record.value or b""))

    await read_to_end(bus, bus.topics.audit, {0: 0}, take)
    return found


async def test_a_login_is_on_record_and_none_is_one_while_kafka_is_away(
    world: LoginWorld,
    own_bus: Bus,
    kafka: EmbeddedKafka,
    registry: CollectorRegistry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with asyncio.timeout(LIMIT_SECONDS), world.browser() as browser:
        assert (await world.log_in(browser)).status_code == 303
        assert (await browser.post("/logout", headers={"Origin": world.url})).status_code == 204
        login, logout = await recorded(own_bus)
        assert (login.act, login.name, login.door, login.role) == (
            "GET /login/callback", "ada@***.com", "token", "responder",
        )  # fmt: skip
        assert (login.target, logout.act, logout.target) == (
            {"outcome": "logged_in"}, "POST /logout", {"outcome": "logged_out"},
        )  # fmt: skip

        callback = await world.sign_in(browser)
        os.kill(kafka.pid, signal.SIGKILL)
        monkeypatch.setattr(LIMIT, WRITE_SECONDS)
        with capture_logs() as lines:
            answer = await browser.get(callback)
        assert (answer.status_code, REFUSED in answer.text) == (503, True)
        assert [line["event"] for line in lines].count("login.not_recorded") == 1
        counted = {"service": "websocket-gateway", "topic": "audit", "outcome": "not_written"}
        assert registry.get_sample_value("tarsy_kafka_records_total", counted) == 1
        assert (await browser.get(LIST)).status_code == 401

        for seconds in kafka.start_again():
            await asyncio.sleep(seconds)

        async def logs_in() -> bool:
            return (await world.log_in(browser)).status_code == 303

        await eventually(logs_in, "a login counts again", seconds=LIMIT_SECONDS)
        assert (await browser.get(LIST)).status_code == 200
        assert (await recorded(own_bus))[-1].target == {"outcome": "logged_in"}


async def test_somebody_logs_out_without_kafka_too_and_it_takes_no_longer_than_a_write_may(
    world: LoginWorld, kafka: EmbeddedKafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT_SECONDS), world.browser() as browser:
        await world.log_in(browser)
        os.kill(kafka.pid, signal.SIGKILL)
        monkeypatch.setattr(LIMIT, WRITE_SECONDS)
        with capture_logs() as lines:
            gone = await browser.post("/logout", headers={"Origin": world.url})
        assert (gone.status_code, (await browser.get(LIST)).status_code) == (204, 401)
        assert [line["event"] for line in lines].count("login.not_recorded") == 1
