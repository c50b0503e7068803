"""What the orchestrator counts. Gauges of age: none is below 0, and a partition that was given up has none."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from prometheus_client import CollectorRegistry

from tarsy_contracts.actions import PAUSE, ActionOutcome
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.events import ExecutionStarted, StageCompleted, ToolCallCompleted
from tarsy_contracts.skills import PlannedSkill, Skill
from tarsy_contracts.wire.ids import summary_id
from tarsy_orchestrator.action_metrics import ActionMetrics
from tarsy_orchestrator.metrics import Metrics
from tarsy_testing.story.story import READ, Story, agent, chain, stage

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
PREFIX = "tarsy_orchestrator_"


def test_the_inbox_lag_of_each_owned_partition_is_the_age_of_its_oldest_input() -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry, [])
    metrics.update_inbox_lag({3: NOW - timedelta(seconds=8), 4: None, 5: NOW + timedelta(seconds=1)}, NOW)
    lag = [registry.get_sample_value(f"{PREFIX}inbox_lag_seconds", {"partition": number}) for number in "345"]
    assert lag == [8.0, 0.0, 0.0]
    metrics.update_inbox_lag({4: None}, NOW)
    assert registry.get_sample_value(f"{PREFIX}inbox_lag_seconds", {"partition": "3"}) is None


def test_the_age_of_who_waits_is_0_when_nobody_waits() -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry, [])
    metrics.update_waiting(NOW - timedelta(minutes=2), NOW)
    assert registry.get_sample_value(f"{PREFIX}waiting_session_age_seconds") == 120.0
    metrics.update_waiting(None, NOW)
    assert registry.get_sample_value(f"{PREFIX}waiting_session_age_seconds") == 0.0


def test_a_summary_is_counted_as_reused_when_no_model_was_asked_for_it() -> None:
    story = Story().calling(READ, READ)
    first, second = story.call_ids
    story.when(story.result(first, size=1_000_000))
    story.when(story.result(second, size=1_000_000))
    story.when(story.summary(summary_id(first)))
    registry = CollectorRegistry()
    metrics = Metrics(registry, [])
    for record in story.log:
        metrics.record_event(record, None)
    assert registry.get_sample_value(f"{PREFIX}summaries_reused_total") == 1.0


def test_skills_are_counted_by_the_names_of_the_configuration_and_others_as_other() -> None:
    skills = tuple(Skill(name=name, description="d", body="b") for name in ("pods", "disks", "removed", "house"))
    planned = tuple(PlannedSkill(name=one.name, digest=one.digest, required=one.name == "house") for one in skills)
    plan = chain(stage(agent().model_copy(update={"skills": planned})))
    story = Story(plan=plan, skills=skills).asking()
    call = ToolCall(id="c", name="tarsy__load_skill", arguments={"names": ["pods", "removed", "unheard-of"]})
    story.when(story.answer().model_copy(update={"tool_calls": (call,)}))
    registry = CollectorRegistry()
    metrics = Metrics(registry, [])
    metrics.skills.know({"pods", "disks", "house"})
    for record in story.log:
        metrics.record_event(record, None)
    counted = {
        (kind, skill): registry.get_sample_value(f"{PREFIX}skills_{kind}_total", {"skill": skill})
        for kind in ("offered", "loaded")
        for skill in ("pods", "disks", "house", "other", "unheard-of")
    }
    assert [counted["offered", skill] for skill in ("pods", "disks", "house", "other")] == [1.0, 1.0, 1.0, 1.0]
    assert [counted["loaded", skill] for skill in ("pods", "disks", "house", "other")] == [1.0, 0.0, 1.0, 2.0]
    assert counted["loaded", "unheard-of"] is None


def test_actions_are_counted_by_verdict_by_whether_they_helped_and_by_who_held_them() -> None:
    outcomes = [ActionOutcome(verdict="acted", done=1, helped="no"), ActionOutcome(verdict="blocked")]
    ends = [StageCompleted(stage_id="s", index=1, name="act", status="completed", action=one) for one in outcomes]
    held = ToolCallCompleted(call_id="c", outcome="rejected", content="Paused.", held_by=PAUSE)
    registry = CollectorRegistry()
    metrics = ActionMetrics(registry)
    for event in ends:
        metrics.record_event(event)
    metrics.record_event(held)
    counted = {
        name: registry.get_sample_value(f"{PREFIX}{name}_total", {label: value})
        for name, label, value in (
            ("action_stages", "outcome", "acted"),
            ("actions_verified", "outcome", "no"),
            ("actions_held", "reason", PAUSE),
        )
    }
    assert counted == dict.fromkeys(counted, 1.0)
    assert registry.get_sample_value(f"{PREFIX}action_stages_total", {"outcome": "nothing_to_do"}) == 0.0


def test_a_sub_agent_is_counted_when_it_begins() -> None:
    story = Story().asking()
    registry = CollectorRegistry()
    metrics = Metrics(registry, [])
    for record in story.log:
        metrics.record_event(record, None)
        if isinstance(record.event, ExecutionStarted):
            sent = record.event.model_copy(update={"parent_execution_id": record.event.execution_id})
            metrics.record_event(replace(record, event=sent), None)
    assert registry.get_sample_value(f"{PREFIX}sub_agents_started_total") == 1.0
