"""The receivers of the configuration that holds that want a digest: each has a task of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Never

from tarsy_notifier.digest.claims import DigestClaimClient
from tarsy_notifier.digest.delivery import DigestDelivery
from tarsy_notifier.digest.schedule import DigestSchedule
from tarsy_notifier.metrics import Metrics
from tarsy_notifier.receivers import NewReceiver, ReceiverPlan
from tarsy_service.supervision import SupervisedGroup, Supervisor


class DigestFeeds:
    """An outage of one receiver holds up no other, nor the notifications of its own."""

    def __init__(
        self,
        plans: Callable[[], Mapping[str, ReceiverPlan]],
        new_receiver: NewReceiver,
        claims: DigestClaimClient,
        metrics: Metrics,
        supervisor: Supervisor,
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._plans = plans
        self._new_receiver = new_receiver
        self._claims = claims
        self._metrics = metrics
        self._supervisor = supervisor
        self._now = now
        self._sleep = sleep
        self._changed = asyncio.Event()
        self._feeds: dict[str, tuple[ReceiverPlan, asyncio.Task[None]]] = {}
        self._deliveries: dict[str, DigestDelivery] = {}

    def wake(self) -> None:
        """Another configuration holds."""
        self._changed.set()

    def explain_degraded(self) -> list[str]:
        return [
            f"The receiver {name} cannot be sent its digest: {delivery.problem}"
            for name, delivery in self._deliveries.items()
            if delivery.problem
        ]

    async def run(self, group: SupervisedGroup) -> Never:
        while True:
            self._changed.clear()
            self._follow_configuration(group, self._plans())
            await self._changed.wait()

    def _follow_configuration(self, group: SupervisedGroup, plans: Mapping[str, ReceiverPlan]) -> None:
        for name, (plan, task) in list(self._feeds.items()):
            if plans.get(name) != plan:
                task.cancel()
                del self._feeds[name]
        for name, plan in plans.items():
            if plan.digest is not None and name not in self._feeds:
                self._feeds[name] = (plan, group.start(f"digest {name}", self._feed(plan, plan.digest)))

    async def _feed(self, plan: ReceiverPlan, schedule: DigestSchedule) -> None:
        loop, receiver = f"digest {plan.name}", self._new_receiver(plan)
        delivery = DigestDelivery(
            plan.name,
            schedule,
            receiver,
            self._claims,
            self._metrics,
            dashboard_url=plan.dashboard_url,
            now=self._now,
        )
        self._deliveries[plan.name] = delivery
        try:
            await delivery.run(self._sleep, self._supervisor.heartbeat_for(loop, essential=False))
        finally:
            if self._deliveries.get(plan.name) is delivery:
                del self._deliveries[plan.name]
                self._supervisor.loops.end(loop)
                self._metrics.end_waiting(plan.name, "digest")
            await receiver.close()
