"""How investigations ended, by chain and alert type, and how long calls waited for a person."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from tarsy_contracts.chain import ApprovalRule, ResolvedServer
from tarsy_contracts.events import SessionCompleted, ToolCallApprovalDecided, ToolCallApprovalRequested
from tarsy_orchestrator.outcome_metrics import MOST_NAMES, OutcomeMetrics
from tarsy_testing.story.story import ALERT, DELETE, Story, agent, chain, stage

CHAIN = Story().asking().investigating.started.chain.chain_id
PREFIX = "tarsy_orchestrator_"


def ended(metrics: OutcomeMetrics, seconds: float = 90) -> None:
    story = Story().asking()
    record = story.log[-1]
    end = SessionCompleted(final_analysis="It leaks.")
    envelope = replace(record.envelope, type=end.type)
    closing = replace(record, event=end, envelope=envelope)
    metrics.record_event(closing, story.state, closing.appended_at - timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("chains", "types", "labels"),
    [
        ([CHAIN], [ALERT.alert_type], (CHAIN, ALERT.alert_type)),
        ([CHAIN], ["another"], (CHAIN, "other")),
        ([], [ALERT.alert_type], ("other", ALERT.alert_type)),
        ([f"c{n}" for n in range(MOST_NAMES)] + [CHAIN], [ALERT.alert_type], ("other", ALERT.alert_type)),
    ],
)
def test_an_end_is_counted_by_names_of_the_configuration_alone(
    chains: list[str], types: list[str], labels: tuple[str, str]
) -> None:
    registry = CollectorRegistry()
    metrics = OutcomeMetrics(registry)
    metrics.know(chains, types)

    ended(metrics)

    counted = dict(zip(("chain", "alert_type"), labels, strict=True)) | {"status": "completed"}
    assert registry.get_sample_value(f"{PREFIX}chain_sessions_ended_total", counted) == 1.0
    lasted: Any = registry.get_sample_value(f"{PREFIX}chain_session_duration_seconds_sum", {"chain": labels[0]})
    assert lasted == pytest.approx(90.0)


def test_the_wait_for_a_person_counts_from_the_request_by_the_logs_stamps() -> None:
    registry = CollectorRegistry()
    metrics = OutcomeMetrics(registry)
    guarded = ResolvedServer(server="kubernetes", allow=("*",), approve=ApprovalRule(changing=True))
    story = Story(plan=chain(stage(agent(server=guarded)))).calling(DELETE)
    [call_id] = story.call_ids
    asked = next(one for one in story.log if isinstance(one.event, ToolCallApprovalRequested))
    decided = ToolCallApprovalDecided(call_id=call_id, outcome="approved", author="ann")
    record = replace(story.log[-1], event=decided, appended_at=asked.appended_at + timedelta(seconds=75))

    metrics.record_event(record, story.state, None)

    assert registry.get_sample_value(f"{PREFIX}approval_wait_seconds_sum", {"outcome": "approved"}) == 75.0
