"""The receivers of the configuration that holds, each with a feed of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Never
from urllib.parse import urlsplit

import structlog
from pydantic import ValidationError

from tarsy_bus.client.connection import Bus
from tarsy_bus.queues.group_consumer import GroupConsumer
from tarsy_bus.queues.group_subscriber import subscribe
from tarsy_bus.queues.new_groups import begin_at_end
from tarsy_bus.readers.partition_reader import Record
from tarsy_config.config import Config
from tarsy_config.sections.notifications import Receiver
from tarsy_contracts.wire.envelope import EnvelopeError
from tarsy_notifier.delivery import NotificationDelivery
from tarsy_notifier.digest.schedule import DigestSchedule, schedule_of
from tarsy_notifier.events_record import read_record
from tarsy_notifier.metrics import Metrics
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_notifier.sessions import SessionDirectory
from tarsy_service.process.service import Ready
from tarsy_service.supervision import SupervisedGroup, Supervisor

log = structlog.get_logger(__name__)

COMMIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ReceiverPlan:
    """Terms of one feed: a change of any of them starts another. `secret`: a token, or what signs; never shown."""

    name: str
    receiver: Receiver
    secret: str | None = field(repr=False)
    dashboard_url: str
    digest: DigestSchedule | None = None


type NewReceiver = Callable[[ReceiverPlan], NotificationReceiver]


def plans_of(config: Config, environ: Mapping[str, str], base_path: str = "") -> Mapping[str, ReceiverPlan]:
    """By name. Links lead below the base path, unless `dashboard_url` has a path of its own."""
    page = config.system.dashboard_url
    dashboard_url = f"{page}{base_path}" if page and not urlsplit(page).path else page
    return {
        name: ReceiverPlan(
            name,
            receiver,
            None if receiver.secret_variable is None else environ.get(receiver.secret_variable),
            dashboard_url,
            None if receiver.digest is None else schedule_of(receiver.digest, config.system.time_zone),
        )
        for name, receiver in config.receivers.items()
    }


class Receivers:
    """One consumer group a receiver: an outage of one holds up no other, and each goes on from its own position.

    A receiver that is new is told of what is published from then on.
    """

    def __init__(
        self,
        bus: Bus,
        plans: Callable[[], Mapping[str, ReceiverPlan]],
        new_receiver: NewReceiver,
        sessions: SessionDirectory,
        metrics: Metrics,
        supervisor: Supervisor,
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._bus = bus
        self._plans = plans
        self._new_receiver = new_receiver
        self._sessions = sessions
        self._metrics = metrics
        self._supervisor = supervisor
        self._now = now
        self._sleep = sleep
        self._changed = asyncio.Event()
        self._feeds: dict[str, tuple[ReceiverPlan, asyncio.Task[None]]] = {}
        self._deliveries: dict[str, NotificationDelivery] = {}

    def wake(self) -> None:
        """Another configuration holds."""
        self._changed.set()

    def explain_degraded(self) -> list[str]:
        return [
            f"The receiver {name} cannot be notified: {delivery.problem}"
            for name, delivery in self._deliveries.items()
            if delivery.problem
        ]

    async def run(self, group: SupervisedGroup, ready: Ready) -> Never:
        """`ready` is called when it is known where each feed begins."""
        while True:
            self._changed.clear()
            plans = self._plans()
            await self._begin_groups(plans)
            self._follow_configuration(group, plans)
            ready()
            await self._changed.wait()

    async def _begin_groups(self, plans: Mapping[str, ReceiverPlan]) -> None:
        for name in plans.keys() - self._feeds.keys():
            await begin_at_end(self._bus, self._bus.topics.events, self._group_of(name))

    def _group_of(self, name: str) -> str:
        return f"{self._bus.topics.prefix}.notifier.{name}"

    def _follow_configuration(self, group: SupervisedGroup, plans: Mapping[str, ReceiverPlan]) -> None:
        for name, (plan, task) in list(self._feeds.items()):
            if plans.get(name) != plan:
                task.cancel()
                del self._feeds[name]
        for name, plan in plans.items():
            if name not in self._feeds:
                self._feeds[name] = (plan, group.start(f"receiver {name}", self._feed_receiver(plan)))

    async def _feed_receiver(self, plan: ReceiverPlan) -> None:
        loop, receiver = f"receiver {plan.name}", self._new_receiver(plan)
        heartbeat = self._supervisor.heartbeat_for(loop, essential=False)
        delivery = self._make_delivery(plan, receiver, heartbeat)
        self._deliveries[plan.name] = delivery
        try:
            consumer = GroupConsumer(
                self._bus,
                self._bus.topics.events,
                self._group_of(plan.name),
                may_skip=True,
                commit_seconds=COMMIT_SECONDS,
                heartbeat=heartbeat,
            )
            await subscribe(consumer, decode=read_record, handler=delivery.take, refuse=self._skip_unreadable)
        finally:
            self._end_receiver(plan.name, loop, delivery)
            await receiver.close()

    def _make_delivery(
        self, plan: ReceiverPlan, receiver: NotificationReceiver, heartbeat: Callable[[], None]
    ) -> NotificationDelivery:
        async def sleep(seconds: float) -> None:
            """A feed that waits for its receiver makes the progress that it can."""
            await self._sleep(seconds)
            heartbeat()

        return NotificationDelivery(
            plan.name,
            plan.receiver,
            receiver,
            self._sessions,
            self._metrics,
            dashboard_url=plan.dashboard_url,
            now=self._now,
            sleep=sleep,
        )

    def _end_receiver(self, name: str, loop: str, delivery: NotificationDelivery) -> None:
        """Unless the one of another plan has taken its place."""
        if self._deliveries.get(name) is delivery:
            del self._deliveries[name]
            self._supervisor.loops.end(loop)
            self._metrics.remove_gauge_of(name)

    async def _skip_unreadable(self, record: Record, problem: Exception) -> None:
        """The public topic repeats the log: what is no event there is nobody's, and is lost to nobody."""
        if not isinstance(problem, EnvelopeError | ValidationError):
            raise problem
        self._metrics.unreadable()
        log.warning("event.unreadable", partition=record.partition, offset=record.offset, reason=str(problem)[:500])
