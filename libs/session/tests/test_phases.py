"""The table of phases: each of its columns can be looked up by one phase only."""

from collections import Counter
from dataclasses import replace

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import STAGES_AFTER_THE_END
from tarsy_session.phases import PHASES
from tarsy_session.phases.phase import Phase
from tarsy_session.state import INVESTIGATION
from tarsy_testing.story.rating_phase import PHASE as RATED
from tarsy_testing.story.story import READ, Story


def test_each_type_of_stage_belongs_to_one_phase() -> None:
    counted = Counter(type for phase in PHASES.values() for type in phase.kinds)
    assert set(counted.values()) == {1}


def test_each_phase_is_cancelled_by_a_request_of_its_own() -> None:
    counted = Counter(phase.cancel_request for phase in PHASES.values() if phase.cancel_request)
    assert set(counted.values()) == {1}


def test_lists_and_totals_know_which_stages_come_after_the_end() -> None:
    later = {type for phase in PHASES.values() if phase.name != INVESTIGATION for type in phase.kinds}
    assert later <= set(STAGES_AFTER_THE_END)
    assert not set(PHASES[INVESTIGATION].kinds) & set(STAGES_AFTER_THE_END)


@pytest.mark.parametrize("status", ["failed", "cancelled", "timed_out"])
@pytest.mark.parametrize(
    "phase", [*(phase for name, phase in PHASES.items() if name != INVESTIGATION), RATED], ids=lambda one: one.name
)
def test_a_later_phase_never_ends_the_investigation_again(phase: Phase, status: e.EndStatus) -> None:
    state = Story().ended().questioned().investigating
    if phase.question_refusal is None:
        requested = e.PhaseRequested(phase=phase.name, phase_id="p", number=1)
        state = replace(state, life=replace(state.life, phase=phase.name, requested=requested))
    assert phase.end(state, status, "it broke").type not in e.SESSION_ENDINGS


def test_a_stage_keeps_the_phase_of_the_life_in_which_it_began() -> None:
    story = Story().ended().questioned()
    story.offered(READ)
    assert [stage.phase for stage in story.investigating.stages] == ["investigation", "reply"]
