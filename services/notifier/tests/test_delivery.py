"""Attempts in virtual time: the receiver is scripted, the clock moves while somebody sleeps."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import override

import pytest
from notifications import APPROVAL, COMPLETED, NOW, STARTED, envelope_of, long_ago
from prometheus_client import CollectorRegistry

from tarsy_config.sections.notifications import Receiver
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionFailed
from tarsy_notifier.delivery import NotificationDelivery
from tarsy_notifier.digest.weekly_digest import WeeklyDigest
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.events_record import EventRecord
from tarsy_notifier.metrics import Metrics
from tarsy_notifier.notification import Notification, session_of
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_notifier.sessions import SessionDirectory

SLACK = Receiver(type="slack", channel="C1")
HOUR = 3_600.0


@dataclass
class Scripted(NotificationReceiver):
    """It fails with these first, and keeps what it is told after them."""

    failures: Iterator[Exception] = field(default_factory=lambda: iter(()))
    told: list[Notification] = field(default_factory=list)
    attempts: int = 0

    @override
    async def send(self, notification: Notification) -> None:
        self.attempts += 1
        failure = next(self.failures, None)
        if failure is not None:
            raise failure
        self.told.append(notification)

    @override
    async def send_digest(self, digest: WeeklyDigest) -> None:
        raise AssertionError("no event brings a digest")

    @override
    async def close(self) -> None:
        pass


class World:
    """`waiting` is the problem that each pause showed."""

    def __init__(self, receiver: Receiver, *failures: Exception) -> None:
        self.now, self.pauses, self.waiting = NOW, list[float](), list[str]()
        self.receiver = Scripted(iter(failures))
        self.registry = CollectorRegistry()
        self.sessions = SessionDirectory("http://127.0.0.1:1", {})
        self.delivery = NotificationDelivery(
            "ops",
            receiver,
            self.receiver,
            self.sessions,
            Metrics(self.registry),
            dashboard_url="https://tarsy",
            now=lambda: self.now,
            sleep=self._sleep,
        )

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.waiting.append(self.delivery.problem)
        self.now += timedelta(seconds=seconds)

    async def take(self, event: PublicEvent, *, sequence: int, at: datetime = NOW, session_id: str = "s-1") -> None:
        envelope = envelope_of(event, sequence=sequence, at=at, session_id=session_id)
        await self.delivery.take(EventRecord(envelope, event, event.to_bytes()))

    @property
    def kinds(self) -> list[str]:
        return [notification.kind for notification in self.receiver.told]

    def ended(self, outcome: str) -> float:
        labels = {"receiver": "ops", "outcome": outcome}
        return self.registry.get_sample_value("tarsy_notifier_notifications_total", labels) or 0.0


async def test_a_receiver_is_told_of_ends_and_of_calls_that_wait_with_a_link() -> None:
    world = World(SLACK)
    await world.take(STARTED, sequence=1)
    await world.take(APPROVAL, sequence=7)
    await world.take(COMPLETED, sequence=9)
    assert world.kinds == ["approval", "completed"]
    assert world.receiver.told[1].session.title == STARTED.alert.title
    assert world.receiver.told[1].link == "https://tarsy/sessions/s-1"
    assert world.ended("told") == 2


async def test_slack_is_told_of_the_start_of_an_alert_that_it_told_of_itself() -> None:
    fired = STARTED.alert.model_copy(update={"slack_message_fingerprint": "FIRING: cart"})
    world = World(SLACK)
    await world.take(STARTED.model_copy(update={"alert": fired}), sequence=1)
    assert world.kinds == ["started"]


@pytest.mark.parametrize(("chains", "told"), [(("kubernetes",), ["completed"]), (("databases",), [])])
async def test_a_receiver_is_told_of_its_chains_only(chains: tuple[str, ...], told: list[str]) -> None:
    world = World(SLACK.model_copy(update={"chains": chains}))
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(COMPLETED, sequence=9)
    assert world.kinds == told


@pytest.mark.parametrize(
    ("given", "told"), [(("weekend", "action"), ["completed", "failed"]), (("noise",), ["failed"]), ((), ["failed"])]
)
async def test_labels_choose_among_completed_investigations_and_hide_no_failure(
    given: tuple[str, ...], told: list[str]
) -> None:
    world = World(SLACK.model_copy(update={"labels": ("Action", "urgent")}))
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(COMPLETED.model_copy(update={"session_labels": given}), sequence=9)
    await world.take(PublicSessionFailed(error="no key"), sequence=10)
    assert world.kinds == told


async def test_an_event_that_comes_again_is_told_once() -> None:
    world = World(SLACK)
    for sequence in (1, 9, 1, 9):
        await world.take(STARTED if sequence == 1 else COMPLETED, sequence=sequence)
    assert world.kinds == ["completed"]


async def test_an_outage_is_waited_out_with_growing_pauses_and_the_next_notification_follows() -> None:
    world = World(SLACK, *(ReceiverUnavailableError("it is away") for _ in range(8)))
    await world.take(STARTED, sequence=1)
    await world.take(COMPLETED, sequence=9)
    await world.take(COMPLETED, sequence=10)
    assert world.kinds == ["completed", "completed"]
    assert 20 < sum(world.pauses) < 8 * 30
    assert set(world.waiting) == {"it is away"}
    assert world.delivery.problem == ""


async def test_a_receiver_is_left_alone_as_long_as_it_says() -> None:
    world = World(SLACK, ReceiverUnavailableError("too many", 45.0))
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(COMPLETED, sequence=9)
    assert world.pauses == [45.0]


async def test_a_notification_that_is_refused_costs_itself() -> None:
    world = World(SLACK, NotificationRefusedError("too long"))
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(PublicSessionFailed(error="x"), sequence=8)
    await world.take(COMPLETED, sequence=9)
    assert world.kinds == ["completed"]
    assert (world.ended("refused"), world.pauses) == (1, [])


async def test_a_mistake_of_ours_costs_one_notification() -> None:
    world = World(SLACK, KeyError("a mistake"))
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(PublicSessionFailed(error="x"), sequence=8)
    await world.take(COMPLETED, sequence=9)
    assert world.kinds == ["completed"]
    assert world.ended("failed") == 1


async def test_a_notification_is_given_up_when_its_event_is_too_old() -> None:
    world = World(SLACK, *(ReceiverUnavailableError("it is away") for _ in range(10_000)))
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(COMPLETED, sequence=9)
    assert world.kinds == []
    assert world.ended("given_up") == 1
    assert HOUR - 60 < (world.now - NOW).total_seconds() <= HOUR


async def test_nobody_is_told_of_last_week() -> None:
    world = World(SLACK)
    world.sessions.remember(session_of(STARTED, "s-1"))
    await world.take(COMPLETED, sequence=9, at=long_ago(2))
    assert world.receiver.attempts == 0
    assert world.ended("late") == 1


async def test_while_the_timeline_is_away_a_notification_of_an_unknown_session_waits() -> None:
    world = World(SLACK.model_copy(update={"give_up_after": 60.0}))
    async with world.sessions.running():
        await world.take(COMPLETED, sequence=9)
    assert world.receiver.attempts == 0
    assert world.waiting[0].startswith("the timeline does not answer about the session")
