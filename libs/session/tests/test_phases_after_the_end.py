"""Given a phase after the end, when an investigation ends, then it follows by its rule, and gives way to people."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_session.decide_phases import MOST_RUNS, request_phase
from tarsy_session.effects import AdmissionEffect, LlmCallEffect, effects_of
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest, Investigating, NotStarted, Unsupported
from tarsy_testing.story.rating_phase import ANSWER, RATER, RATING, RESULT, planted
from tarsy_testing.story.story import READ, SECOND, SESSION, Story, types

INTERRUPTED = ["llm_call.failed", "execution.completed", "stage.completed"]
ASKED = ["request.accepted", "question.asked", "stage.started"]
BEGUN = ["stage.started", "execution.started", "llm_call.requested"]
CANCEL = i.CancelRequested(request_id="c", author="ann")
DELETE = i.SessionDeleteRequested(request_id="d", author="ann")


@pytest.fixture(autouse=True)
def rated() -> Iterator[None]:
    with planted():
        yield


def rating() -> Story:
    """The rater's model has been asked."""
    story = Story().ended()
    story.when(i.SessionAdmitted())
    return story


def replied(story: Story) -> list[e.Event]:
    story.offered(READ)
    return story.when(story.answer("Since three."))


def test_a_phase_that_is_due_is_requested_in_the_decision_that_ends_the_investigation() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[-1], "out of memory"))
    assert types(story.when(story.answer("A leak."))) == [
        *["llm_call.completed", "execution.completed", "stage.completed", "session.completed"],
        "phase.requested",
    ]
    assert isinstance(story.investigating.ended, e.SessionCompleted)


def test_an_investigation_that_the_rule_does_not_want_rests() -> None:
    story = Story().asking()
    assert types(story.when(CANCEL))[-1] == "session.cancelled"
    assert isinstance(story.state, AtRest)


def test_a_phase_begins_when_its_turn_has_come_in_a_queue_of_its_own() -> None:
    story = Story().ended()
    (owed,) = effects_of(story.state)
    assert isinstance(owed, AdmissionEffect)
    assert owed.queue == "background"
    assert types(story.when(i.SessionAdmitted())) == BEGUN
    assert story.execution().agent.name == RATER
    assert [type(one) for one in effects_of(story.state)].count(LlmCallEffect) == 1


def test_what_came_of_a_phase_stands_in_its_last_event_and_the_session_rests_as_it_ended() -> None:
    story = Story().ended()
    ended = story.investigating.ended
    story.when(i.SessionAdmitted())
    events = story.when(story.answer(ANSWER))
    assert types(events) == ["llm_call.completed", "execution.completed", "stage.completed", "phase.completed"]
    assert isinstance(story.state, AtRest)
    assert story.state.ended == ended
    (run,) = story.state.phase_runs
    assert run.completed is not None
    assert (run.completed.status, run.completed.result, run.completed.error) == ("completed", RESULT, "")


def test_an_answer_that_cannot_be_read_fails_the_phase_and_says_why() -> None:
    story = rating()
    completed = story.when(story.answer("seven"))[-1]
    assert isinstance(completed, e.PhaseCompleted)
    assert (completed.status, completed.result) == ("failed", None)
    assert "cannot be read" in completed.error
    assert isinstance(story.state, AtRest)


def test_a_question_ends_a_phase_that_runs_and_is_answered_first() -> None:
    story = rating()
    assert types(story.when(story.question())) == [*INTERRUPTED, *ASKED]
    assert story.investigating.life.phase == "reply"
    assert types(replied(story))[-2:] == ["reply.completed", "phase.requested"]
    assert types(story.when(i.SessionAdmitted())) == BEGUN
    assert types(story.when(story.answer(ANSWER)))[-1] == "phase.completed"
    assert isinstance(story.state, AtRest)
    assert [run.completed is None for run in story.state.phase_runs] == [True, False]


def test_a_question_does_not_wait_behind_a_phase_that_waits_for_its_turn() -> None:
    story = Story().ended()
    assert types(story.when(story.question())) == ASKED
    assert story.when(i.SessionAdmitted()) == []
    assert types(replied(story))[-2:] == ["reply.completed", "phase.requested"]


def test_a_question_that_was_answered_before_the_phase_ended_opens_the_session_once() -> None:
    story = rating()
    asked = story.question()
    story.when(asked)
    assert story.when(asked, input_id="again") == []
    (answer, *rest) = replies_to(story.state, asked)
    assert isinstance(answer, RequestAnswered)
    assert answer.accepted
    assert rest == []


def test_a_chain_without_chat_refuses_the_question_and_the_phase_goes_on() -> None:
    story = rating()
    started = story.investigating.started
    without = started.model_copy(update={"chain": started.chain.model_copy(update={"chat_enabled": False})})
    story.state = replace(story.investigating, started=without)
    assert types(story.when(story.question())) == ["request.refused"]
    assert story.investigating.life.phase == RATING


def test_nobody_cancels_a_session_that_has_ended_while_a_phase_runs() -> None:
    story = rating()
    (refused,) = story.when(CANCEL)
    assert isinstance(refused, e.RequestRefused)
    assert (refused.code, refused.reason) == (409, "the session has already ended")
    assert isinstance(story.state, Investigating)


def test_a_deletion_does_not_wait_for_a_phase() -> None:
    story = rating()
    assert types(story.when(DELETE)) == [*INTERRUPTED, "phase.completed", "session.deleted"]
    assert isinstance(story.state, NotStarted)


def test_a_phase_whose_time_is_up_ends_and_is_not_begun_again() -> None:
    story = rating()
    story.now += 2 * story.chain.limits.reply_seconds * SECOND
    events = story.when(i.DeadlinePassed(call_id=SESSION))
    assert types(events) == [*INTERRUPTED, "phase.completed"]
    completed = events[-1]
    assert isinstance(completed, e.PhaseCompleted)
    assert completed.status == "timed_out"


def test_an_alert_that_comes_again_while_a_phase_waits_ends_nothing() -> None:
    story = Story().ended()
    assert types(story.when(i.AlertReceived(alert=story.alert), input_id="again")) == ["alert.repeated"]
    assert types(story.when(story.resolution())) == ["alert.resolved"]
    assert story.investigating.life.phase == RATING


def test_a_rule_that_never_rests_is_bounded() -> None:
    story = Story().ended()
    for _ in range(MOST_RUNS):
        assert story.investigating.life.phase == RATING
        story.when(story.question())
        replied(story)
    assert isinstance(story.state, AtRest)


def test_a_phase_that_a_person_wanted_again_is_still_his_after_a_question() -> None:
    story = rating()
    story.when(story.answer(ANSWER))
    assert isinstance(story.state, AtRest)
    story.append(request_phase(story.state, RATING, request_id="r", author="bob"), story.given(CANCEL))
    story.when(i.SessionAdmitted())
    story.when(story.question())
    again = replied(story)[-1]
    assert isinstance(again, e.PhaseRequested)
    assert (again.phase, again.number, again.request_id, again.author) == (RATING, 3, "r", "bob")


def test_a_phase_that_this_code_does_not_know_leaves_the_session_to_code_that_does() -> None:
    story = rating()
    story.when(story.answer(ANSWER))
    unknown = e.PhaseRequested(phase="divination", phase_id="p", number=2)
    story.append(unknown, story.given(CANCEL))
    assert isinstance(story.state, Unsupported)
