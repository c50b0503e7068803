"""The sweep of sub-agents: whoever dies at their events, each task is done once, and nobody is left behind."""

from collections import Counter
from datetime import timedelta
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_testing.simulation.investigation import HANGING_ALERT, HANGING_SECONDS, LOOKERS, PATIENT_ALERT, WIDE_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open
from tarsy_timeline.record.llm_interactions import find_llm_request
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog

THREE = ["Lister", "Reader", "Deleter"]
TEN = [*THREE, *["Looker"] * LOOKERS]
STEP = 17
"""Seven of ten sub-agents do the same, so that fewer deaths are enough."""


def played(*deaths: Death, cancelled_at: int | None = None) -> Played:
    return play(*deaths, alert=WIDE_ALERT, cancelled_at=cancelled_at)


@cache
def undisturbed() -> Played:
    return played()


def batches_of_sub_agents() -> list[int]:
    """The first event of each, from the one that sends them to the last of the stage."""
    log = undisturbed().log
    sent = next(record.number for record in log.accepted if is_child(record.event))
    return [batch[0] for batch in undisturbed().batches if batch[-1] >= sent]


def is_child(event: object) -> bool:
    return isinstance(event, e.ExecutionStarted) and bool(event.parent_execution_id)


def children(log: SessionLog) -> list[str]:
    return [event.agent for event in log.events(e.ExecutionStarted) if event.parent_execution_id]


def orphans(log: SessionLog) -> list[str]:
    """Sub-agents that were still open after the batch in which their parent ended."""
    parents = {event.execution_id: event.parent_execution_id for event in log.events(e.ExecutionStarted)}
    decided = {
        record.event.execution_id: record.appended_at
        for record in log.accepted
        if isinstance(record.event, e.ExecutionCompleted)
    }
    return [id for id, parent in parents.items() if parent and decided[id] > decided[parent]]


def asked_twice(log: SessionLog) -> list[str]:
    times = Counter(event.llm_call_id for event in log.events(e.LlmCallRequested))
    return [id for id, count in times.items() if count > 1]


def results_of(one: Played) -> Counter[str]:
    """The results of sub-agents that the last question of their parent has, by the record.

    A zombie may ask an earlier one after that.
    """
    lead = one.log.events(e.ExecutionStarted)[0].execution_id
    last = [event.llm_call_id for event in one.log.events(e.LlmCallRequested) if event.execution_id == lead][-1]
    found = find_llm_request(one.log.accepted, last)
    assert found is not None
    words = [message.content for message in found.request.conversation.messages]
    return Counter(word for word in words if word.startswith("[Sub-agent"))


def test_one_agent_sends_ten_and_concludes_with_what_they_bring() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert children(one.log) == TEN, "the same task for the same agent is done once"
    assert [*results_of(one).values()] == [1] * len(TEN)
    assert [run.tool for run in one.runs].count("pods_delete") == 1
    assert orphans(one.log) + asked_twice(one.log) == []


def every_death() -> list[Death]:
    return sampled([death for event in batches_of_sub_agents() for death in deaths_at(event)], STEP)


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_while_sub_agents_run_each_task_is_done_once(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert children(one.log) == TEN
    assert orphans(one.log) + asked_twice(one.log) == []
    if death.event % 3 == 0:
        assert record_faults(one) == []


def cancellations() -> list[tuple[int, Death | None]]:
    events = sampled(batches_of_sub_agents()[:-1], STEP)
    alone: list[tuple[int, Death | None]] = [(event, None) for event in events]
    return [*alone, *((event, Death("orchestrator", "soon-after", event, "forgotten")) for event in events[::2])]


@pytest.mark.parametrize(("event", "death"), cancellations(), ids=str)
def test_whenever_somebody_cancels_parent_and_sub_agents_end_within_two_seconds(
    event: int, death: Death | None
) -> None:
    one = played(*([death] if death else []), cancelled_at=event)
    log = one.log
    assert [*faults_of(log, one.runs, None), *one.complaints] == []
    assert (log.types[-1], still_open(log), orphans(log)) == ("session.cancelled", set(), [])
    accepted = next(record for record in log.accepted if isinstance(record.event, e.RequestAccepted))
    assert log.accepted[-1].appended_at - accepted.appended_at <= timedelta(seconds=2)


def deaths_of_the_hanging() -> list[Death | None]:
    """While nine have ended and one hangs, and just before its time is up."""
    numbers = [record.number for record in play(alert=HANGING_ALERT).log.accepted]
    return [None, *(Death("orchestrator", "after", number) for number in (numbers[-30], numbers[-12]))]


@pytest.mark.parametrize("death", deaths_of_the_hanging(), ids=str)
def test_of_ten_one_hangs_and_its_parent_goes_on_with_what_nine_bring(death: Death | None) -> None:
    one = play(*([death] if death else []), alert=HANGING_ALERT)
    assert [*faults_of(one.log, one.runs, None), *one.complaints] == []
    assert (one.log.types[-1], still_open(one.log), orphans(one.log)) == ("session.completed", set(), [])
    ended = Counter((event.agent, event.status) for event in one.log.events(e.ExecutionCompleted))
    assert (ended["Looker", "completed"], ended["Hanger", "timed_out"]) == (9, 1)
    assert results_of(one).total() == 10
    began = next(record.appended_at for record in one.log.accepted if is_child(record.event))
    assert (one.log.accepted[-1].appended_at - began).total_seconds() < HANGING_SECONDS + 10.0


@cache
def patient() -> Played:
    return play(alert=PATIENT_ALERT)


def deaths_of_the_patient() -> list[Death]:
    """Deaths of owners at the ends of sub-agents: the parent is asked then, or reads it with its next question."""
    ended = [record.number for record in patient().log.accepted if isinstance(record.event, e.ExecutionCompleted)]
    firsts = [batch[0] for batch in patient().batches if set(batch) & set(ended)]
    return [death for event in firsts for death in deaths_at(event) if death.service == "orchestrator"]


@pytest.mark.parametrize("death", deaths_of_the_patient(), ids=str)
def test_a_parent_that_waits_reads_every_result_once_whoever_dies(death: Death) -> None:
    """How often it is asked depends on which of them end together."""
    one = play(death, alert=PATIENT_ALERT)
    assert [*faults_of(one.log, one.runs, None), *one.complaints] == []
    assert (one.log.types[-1], orphans(one.log), asked_twice(one.log)) == ("session.completed", [], [])
    assert [*results_of(one).values()] == [1] * len(THREE)
    assert record_faults(one) == []
