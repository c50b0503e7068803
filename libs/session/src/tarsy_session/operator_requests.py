"""Operator requests for a session that is set aside: release, retry, fail. Pure.

Nothing in here looks into the session more than it must, so that it does not raise where a decision has raised.
"""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import Control, RequestAnswered
from tarsy_session.decision_input import DecisionInput
from tarsy_session.decisions.chat import refuse
from tarsy_session.replies import cancellations, to_request
from tarsy_session.state import AtRest, Investigating, NotStarted, SessionState, Unsupported
from tarsy_session.termination import fail

FAIL = "fail"
NOT_ASIDE = "the session is not set aside"
UNREADABLE = "this version cannot read the session's log: upgrade, or end the session with `fail`"


def operator_events(state: SessionState, request: i.OperatorRequest, context: DecisionInput) -> list[e.Event]:
    """A session that never began has no record, and one that cannot be read keeps none of a refusal."""
    if context.offset is not None and context.offset <= state.last_decided_offset:
        return []
    if isinstance(state, NotStarted):
        return []
    if isinstance(state, Investigating | AtRest) and request.request_id in state.answers:
        return []
    if not context.aside:
        return [] if isinstance(state, Unsupported) else [refuse(request, word_of(request), 409, NOT_ASIDE)]
    if isinstance(request, i.SessionFailRequested):
        return [_make_released(request), *_end_events(state, request)]
    return [] if isinstance(state, Unsupported) else [_make_released(request)]


def operator_replies(state: SessionState, request: i.OperatorRequest, context: DecisionInput) -> Sequence[Control]:
    """The answer comes first. It follows from the state after the decision, so that it can be sent again."""
    if isinstance(request, i.SessionFailRequested):
        return [_answer_request(state, request, context), *_cancel_calls(state)]
    return [_answer_request(state, request, context)]


def is_accepted(answers: Sequence[Control]) -> bool:
    return any(isinstance(one, RequestAnswered) and one.accepted for one in answers)


def minimal_end(request: i.SessionFailRequested) -> e.SessionFailed:
    """Every reader takes this, whatever lay before it."""
    return e.SessionFailed(error=f"ended by {request.author}: {request.reason}", request_id=request.request_id)


def word_of(request: i.OperatorRequest) -> str:
    return FAIL if isinstance(request, i.SessionFailRequested) else request.request


def _end_events(state: SessionState, request: i.SessionFailRequested) -> list[e.Event]:
    """Closes what is open, as far as that can be told. Ended parts stay as they ended."""
    if isinstance(state, AtRest):
        return []
    end = minimal_end(request)
    try:
        events = fail(state, end.error)
        # A phase after the end leaves the investigation as it ended.
        return [*events[:-1], end] if not events or isinstance(events[-1], e.SessionFailed) else events
    except Exception:  # noqa: BLE001 - what is open may be what raises
        return [end]


def _make_released(request: i.OperatorRequest) -> e.SessionReleased:
    return e.SessionReleased(request_id=request.request_id, request=word_of(request), author=request.author)


def _answer_request(state: SessionState, request: i.OperatorRequest, context: DecisionInput) -> RequestAnswered:
    if isinstance(state, Investigating | AtRest) and request.request_id in state.answers:
        return to_request(state, request.request_id)
    if isinstance(state, AtRest) and _was_ended_by(state, request):
        return _accept(request)
    if not context.aside:
        return (
            to_request(state, request.request_id)
            if isinstance(state, NotStarted)
            else _refuse_as_conflict(request, NOT_ASIDE)
        )
    return _refuse_as_conflict(request, UNREADABLE) if isinstance(state, Unsupported) else _accept(request)


def _was_ended_by(state: AtRest, request: i.OperatorRequest) -> bool:
    """Only the end is known of a session that could not be read."""
    return isinstance(state.ended, e.SessionFailed) and state.ended.request_id == request.request_id


def _accept(request: i.OperatorRequest) -> RequestAnswered:
    return RequestAnswered(request_id=request.request_id, accepted=True, code=200, reason="")


def _refuse_as_conflict(request: i.OperatorRequest, reason: str) -> RequestAnswered:
    return RequestAnswered(request_id=request.request_id, accepted=False, code=409, reason=reason)


def _cancel_calls(state: SessionState) -> Sequence[Control]:
    return cancellations(state)
