"""Prometheus metrics of the notifier. Receivers are those of the configuration."""

from collections import defaultdict
from contextlib import suppress
from typing import Literal

from prometheus_client import CollectorRegistry

from tarsy_service.telemetry.metric_kinds import MetricKinds

type NotificationOutcome = Literal["told", "refused", "given_up", "late", "failed"]
"""`late`: the event was too old when it was read. `given_up`: no attempt had reached the receiver until then.
`failed`: by a mistake of ours."""
type Waiting = Literal["event", "digest"]


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        make = MetricKinds(registry)
        self._waits: defaultdict[str, set[Waiting]] = defaultdict(set)
        self._notifications = make.counter(
            "tarsy_notifier_notifications_total",
            "Notifications that ended, by receiver and outcome",
            ["receiver", "outcome"],
        )
        self._attempts = make.counter(
            "tarsy_notifier_failed_attempts_total",
            "Attempts that did not reach the receiver, and are repeated",
            ["receiver"],
        )
        self._waiting = make.gauge(
            "tarsy_notifier_waiting",
            "Whether a notification waits for a receiver that cannot be told (1), by receiver",
            ["receiver"],
        )
        self._unreadable = make.counter(
            "tarsy_notifier_unreadable_records_total",
            "Records of the public topic that are no event, and were gone past",
        )

    def count_ended(self, receiver: str, outcome: NotificationOutcome) -> None:
        self._notifications.labels(receiver, outcome).inc()

    def count_failed(self, receiver: str) -> None:
        self._attempts.labels(receiver).inc()

    def set_waiting(self, receiver: str, *, waits: bool, what: Waiting = "event") -> None:
        """A receiver waits while anything of it does."""
        found = self._waits[receiver]
        found.add(what) if waits else found.discard(what)
        self._waiting.labels(receiver).set(bool(found))

    def end_waiting(self, receiver: str, what: Waiting) -> None:
        """Nothing of this kind is sent to the receiver any longer."""
        if receiver in self._waits:
            self.set_waiting(receiver, waits=False, what=what)

    def unreadable(self) -> None:
        self._unreadable.inc()

    def remove_gauge_of(self, receiver: str) -> None:
        """The receiver is no longer configured."""
        self._waits.pop(receiver, None)
        with suppress(KeyError):
            self._waiting.remove(receiver)
