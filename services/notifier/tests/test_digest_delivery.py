"""The digest of a week in virtual time: several notifiers, one timeline, one receiver that is scripted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import override

import pytest
from digests import DIGEST, DUE, ClaimServer
from prometheus_client import CollectorRegistry

from tarsy_notifier.digest.claims import CLAIM_SECONDS, DigestClaimClient
from tarsy_notifier.digest.delivery import DigestDelivery
from tarsy_notifier.digest.schedule import WEEK, DigestSchedule
from tarsy_notifier.digest.weekly_digest import WeeklyDigest
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.metrics import Metrics
from tarsy_notifier.notification import Notification
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server

MONDAY = DigestSchedule(weekday=0, at=time(9), time_zone="Europe/Berlin")


@dataclass
class Scripted(NotificationReceiver):
    """It fails with these first, and keeps what it is sent after them."""

    failures: list[BaseException] = field(default_factory=list)
    got: list[WeeklyDigest] = field(default_factory=list)

    @override
    async def send(self, notification: Notification) -> None:
        raise AssertionError("a digest is no notification")

    @override
    async def send_digest(self, digest: WeeklyDigest) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.got.append(digest)

    @override
    async def close(self) -> None:
        pass


class World:
    """Notifiers that share a timeline and a receiver. Time stands still unless a test moves it."""

    def __init__(self, notifiers: AsyncExitStack) -> None:
        self._notifiers = notifiers
        self.now, self.registry = DUE, CollectorRegistry()
        self.timeline, self.port = ClaimServer(lambda: self.now), free_port()
        self.receiver, self.metrics = Scripted(), Metrics(self.registry)

    async def notifier(self, process: str = "p1", receiver: Scripted | None = None) -> DigestDelivery:
        claims = DigestClaimClient(f"http://127.0.0.1:{self.port}", {}, process)
        await self._notifiers.enter_async_context(claims.running())
        return DigestDelivery(
            "ops",
            MONDAY,
            receiver or self.receiver,
            claims,
            self.metrics,
            dashboard_url="https://tarsy",
            now=lambda: self.now,
        )

    async def look_for(self, delivery: DigestDelivery, length: timedelta) -> None:
        until = self.now + length
        while self.now < until:
            await delivery.look()
            self.now += timedelta(seconds=15)

    def ended(self, outcome: str) -> float:
        labels = {"receiver": "ops", "outcome": outcome}
        return self.registry.get_sample_value("tarsy_notifier_notifications_total", labels) or 0.0

    @property
    def waits(self) -> float | None:
        return self.registry.get_sample_value("tarsy_notifier_waiting", {"receiver": "ops"})


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with _running() as one:
        yield one


@asynccontextmanager
async def _running() -> AsyncIterator[World]:
    async with AsyncExitStack() as notifiers:
        one = World(notifiers)
        await notifiers.enter_async_context(http_server(one.timeline.app, "127.0.0.1", one.port))
        yield one


async def test_a_digest_is_sent_once_a_week_with_its_link(world: World) -> None:
    delivery = await world.notifier()
    await world.look_for(delivery, timedelta(hours=2))
    (sent,) = world.receiver.got
    assert (sent.id, sent.due_at, sent.digest) == ("d-2026-11-22", DUE, DIGEST)
    assert sent.link == "https://tarsy/usage?from=2026-11-16&to=2026-11-22"
    world.now = DUE + WEEK
    await world.look_for(delivery, timedelta(hours=2))
    assert [one.id for one in world.receiver.got] == ["d-2026-11-22", "d-2026-11-29"]
    assert world.ended("told") == 2


async def test_of_several_notifiers_one_sends_it_and_one_that_starts_later_does_not(world: World) -> None:
    deliveries = [await world.notifier(f"p{number}") for number in range(3)]
    for _ in range(3):
        for delivery in deliveries:
            await delivery.look()
    await (await world.notifier("later")).look()
    assert len(world.receiver.got) == 1


@pytest.mark.parametrize("reached", [False, True])
async def test_what_a_notifier_claimed_and_did_not_finish_another_sends_under_its_id(
    world: World, reached: bool
) -> None:
    dying = Scripted([] if reached else [asyncio.CancelledError()])
    world.timeline.statuses = [200, 503] if reached else []
    with suppress(asyncio.CancelledError):
        await (await world.notifier("dying", dying)).look()
    assert len(dying.got) == reached
    other = await world.notifier("other")
    await other.look()
    assert world.receiver.got == []
    world.now += timedelta(seconds=CLAIM_SECONDS)
    await other.look()
    assert [one.id for one in world.receiver.got] == ["d-2026-11-22"]


async def test_what_the_timeline_did_not_hear_is_told_to_it_again_and_not_sent_again(world: World) -> None:
    delivery = await world.notifier()
    world.timeline.statuses = [200, 503, 503]
    await world.look_for(delivery, timedelta(minutes=10))
    assert len(world.receiver.got) == 1
    assert world.timeline.sent == {("2026-11-22", "ops")}
    assert delivery.problem == ""


async def test_an_outage_is_waited_out_and_said_meanwhile(world: World) -> None:
    delivery = await world.notifier()
    world.receiver.failures = [ReceiverUnavailableError("it is away") for _ in range(5)]
    await delivery.look()
    assert (delivery.problem, world.waits) == ("it is away", 1.0)
    await world.look_for(delivery, timedelta(hours=1))
    assert len(world.receiver.got) == 1
    assert (delivery.problem, world.waits, world.ended("told")) == ("", 0.0, 1.0)


async def test_a_receiver_is_left_alone_as_long_as_it_says(world: World) -> None:
    delivery = await world.notifier()
    world.receiver.failures = [ReceiverUnavailableError("too many", 300.0)]
    await world.look_for(delivery, timedelta(seconds=300))
    assert world.receiver.got == []
    await delivery.look()
    assert len(world.receiver.got) == 1


@pytest.mark.parametrize(
    ("failure", "outcome"), [(NotificationRefusedError("too long"), "refused"), (KeyError("a mistake"), "failed")]
)
async def test_a_digest_that_cannot_be_sent_costs_itself(world: World, failure: Exception, outcome: str) -> None:
    delivery = await world.notifier()
    world.receiver.failures = [failure]
    await world.look_for(delivery, timedelta(hours=1))
    assert (world.receiver.got, world.ended(outcome)) == ([], 1.0)
    world.now = DUE + WEEK
    await delivery.look()
    assert len(world.receiver.got) == 1


async def test_a_digest_is_given_up_after_a_day_and_that_is_counted(world: World) -> None:
    delivery = await world.notifier()
    world.receiver.failures = [ReceiverUnavailableError("it is away") for _ in range(10_000)]
    await world.look_for(delivery, timedelta(days=1, hours=1))
    assert (world.ended("given_up"), delivery.problem, world.waits) == (1.0, "", 0.0)


@pytest.mark.parametrize(("after", "sent"), [(timedelta(hours=20), 1), (timedelta(days=3), 0)])
async def test_where_no_notifier_ran_in_time_it_is_sent_within_a_day_and_else_said_to_be_lost(
    world: World, after: timedelta, sent: int
) -> None:
    world.now += after
    for process in ("p1", "p2"):
        await (await world.notifier(process)).look()
    assert (len(world.receiver.got), world.ended("late")) == (sent, 1.0 - sent)


def test_a_receiver_waits_while_an_event_or_a_digest_of_it_does() -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry)

    def waits() -> float | None:
        return registry.get_sample_value("tarsy_notifier_waiting", {"receiver": "ops"})

    metrics.set_waiting("ops", waits=True, what="digest")
    metrics.set_waiting("ops", waits=False)
    assert waits() == 1.0
    metrics.end_waiting("ops", "digest")
    assert waits() == 0.0
    metrics.remove_gauge_of("ops")
    metrics.end_waiting("ops", "digest")
    assert waits() is None
