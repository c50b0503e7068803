"""Given a session at rest, when somebody wants it deleted, then nothing of it is left but its number."""

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_session.decide import decide
from tarsy_session.effects import effects_of
from tarsy_session.replies import replies_to
from tarsy_session.state import Investigating, NotStarted, Unsupported
from tarsy_testing.story.story import READ, SESSION, Story, types

DELETE = i.SessionDeleteRequested(request_id="r", author="ann")


def answered(story: Story, asked: i.SessionDeleteRequested = DELETE) -> tuple[bool, int]:
    (answer,) = replies_to(story.state, asked)
    assert isinstance(answer, RequestAnswered)
    return answer.accepted, answer.code


def test_a_session_at_rest_is_deleted_and_owes_nothing() -> None:
    story = Story().ended()
    assert story.when(DELETE) == [e.SessionDeleted(request_id="r", author="ann")]
    assert isinstance(story.state, NotStarted)
    assert effects_of(NotStarted()) == []
    assert answered(story) == (True, 200)


def test_a_session_that_runs_is_not_deleted_and_the_answer_stays() -> None:
    story = Story().asking()
    assert types(story.when(DELETE)) == ["request.refused"]
    assert isinstance(story.state, Investigating)
    assert answered(story) == (False, 409)
    assert story.when(DELETE) == []


def test_a_session_that_never_was_is_not_found() -> None:
    story = Story()
    assert story.when(DELETE) == []
    assert answered(story) == (False, 404)


def test_what_was_deleted_is_not_found_by_another_request() -> None:
    story = Story().ended()
    story.when(DELETE)
    again = DELETE.model_copy(update={"request_id": "other"})
    assert story.when(again) == []
    assert answered(story, again) == (False, 404)
    assert replies_to(story.state, story.question()) == [
        RequestAnswered(
            request_id=story.question().request_id, accepted=False, code=404, reason="there is no such session"
        )
    ]


def test_the_same_input_is_decided_once() -> None:
    story = Story().ended()
    given = story.given(DELETE)
    story.when(DELETE)
    assert decide(SESSION, story.state, given) == []


def test_the_same_alert_opens_it_anew_with_the_next_number_and_other_ids() -> None:
    story = Story().ended()
    before = {record.event.stage_id for record in story.log if isinstance(record.event, e.StageStarted)}
    story.when(DELETE)
    count = len(story.log)
    (started,) = story.when(i.AlertReceived(alert=story.alert), input_id="alert")
    assert isinstance(started, e.SessionStarted)
    assert started.follows == "r"
    assert story.log[-1].number == count + 1
    story.when(i.SessionAdmitted())
    story.offered()
    story.when(story.answer("The cause is another one."))
    after = {record.event.stage_id for record in story.log[count:] if isinstance(record.event, e.StageStarted)}
    assert after
    assert not after & before


def test_a_late_report_of_a_deleted_session_is_for_nobody() -> None:
    story = Story().calling(READ)
    late = story.result(story.call_ids[-1], "too late")
    story.when(late)
    story.when(story.answer("The cause is a leak."))
    story.when(DELETE)
    assert story.when(late) == []


def test_no_older_code_would_misread_a_deletion_in_the_middle() -> None:
    story = Story().asking()
    story.append(e.SessionDeleted(request_id="r", author="ann"), story.given(DELETE))
    assert isinstance(story.state, Unsupported)
