"""Gauges of the partitions that an orchestrator owns."""

from collections.abc import Sequence

from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.partition.partition import Partition


def update_gauges(owned: Sequence[Partition], deps: Dependencies) -> None:
    metrics, now = deps.metrics, deps.broker_now
    metrics.sessions_open.set(sum(len(partition.sessions.open_sessions()) for partition in owned))
    metrics.sessions_aside.set(sum(len(partition.isolation) for partition in owned))
    metrics.update_held([since for partition in owned for since in partition.isolation.held_since], now)
    metrics.update_inbox_lag({partition.number: partition.progress.oldest for partition in owned}, now)
    metrics.update_waiting(deps.admission.oldest, now)
