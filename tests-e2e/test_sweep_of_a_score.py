"""The sweep of a score and a review: whoever dies, it is judged once, one of two people wins, and the other is told."""

from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.scores import Score
from tarsy_testing.simulation.investigation import JUDGED_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, sampled, still_open
from tarsy_verification.session_log import SessionLog


def played(*deaths: Death, asked_at: int | None = None) -> Played:
    return play(*deaths, alert=JUDGED_ALERT, asked_at=asked_at)


@cache
def undisturbed() -> Played:
    return played()


def batches() -> list[int]:
    """The first event of each, from the one that ends the investigation."""
    requested = undisturbed().log.types.index("phase.requested") + 1
    return [batch[0] for batch in undisturbed().batches if requested <= batch[-1]]


def assert_judged_and_reviewed_once(log: SessionLog) -> None:
    assert [Score.model_validate(one.result).score for one in log.events(e.PhaseCompleted)] == [72]
    assert [(one.author, one.to_status) for one in log.events(e.ReviewChanged)] == [("ann", "in_progress")]
    (refused,) = log.events(e.RequestRefused)
    assert (refused.author, refused.reason) == ("ben", "ann has claimed the review: reassign it first")
    assert [one.author for one in log.events(e.RequestAccepted) if one.request == e.REVIEW] == ["ann"]
    assert still_open(log) == set()


def test_an_investigation_is_judged_while_two_people_claim_its_review() -> None:
    assert faults(undisturbed(), undisturbed()) == []
    assert_judged_and_reviewed_once(undisturbed().log)


def every_death() -> list[Death]:
    return sampled([death for event in batches() for death in deaths_at(event)])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_it_is_judged_once_and_one_person_has_it(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert_judged_and_reviewed_once(one.log)


@pytest.mark.parametrize("event", batches()[:-1])
def test_a_question_never_waits_for_the_judge(event: int) -> None:
    one = played(asked_at=event)
    (reply,) = one.log.events(e.ReplyCompleted)
    assert reply.status == "completed"
    assert_judged_and_reviewed_once(one.log)
