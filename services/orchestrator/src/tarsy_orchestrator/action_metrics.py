"""Metrics of actions: what stages that act came to, and which calls TARSy itself held."""

from prometheus_client import CollectorRegistry

from tarsy_contracts.actions import HELD_BY, HELPED, VERDICTS
from tarsy_contracts.events import Event, StageCompleted, ToolCallCompleted
from tarsy_service.telemetry.metric_kinds import MetricKinds


class ActionMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        make = MetricKinds(registry)
        self._stages = make.counter(
            "tarsy_orchestrator_action_stages_total",
            "Stages of the type action that ended here, by what their calls came to",
            ["outcome"],
        )
        self._verified = make.counter(
            "tarsy_orchestrator_actions_verified_total",
            "Stages that acted and were looked at afterwards, by whether it helped",
            ["outcome"],
        )
        self._held = make.counter(
            "tarsy_orchestrator_actions_held_total", "Calls that TARSy itself did not make, by why", ["reason"]
        )
        for counter, labels in ((self._stages, VERDICTS), (self._verified, HELPED), (self._held, HELD_BY)):
            for label in labels:
                counter.labels(label)

    def record_event(self, event: Event | None) -> None:
        match event:
            case StageCompleted(action=outcome) if outcome is not None:
                self._stages.labels(outcome.verdict).inc()
                if outcome.helped:
                    self._verified.labels(outcome.helped).inc()
            case ToolCallCompleted(held_by=held_by) if held_by:
                self._held.labels(held_by).inc()
            case _:
                pass
