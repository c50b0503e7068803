"""Decisions on questions of people, and on their wish that a session or a reply ends. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.events.heads import Span
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import chat_id, message_id, reply_stage_id
from tarsy_session.decide_phases import interrupt_phase
from tarsy_session.phases import phase_of
from tarsy_session.state import AtRest, Investigating
from tarsy_session.state_queries import has_loose_ends

MOST_QUESTIONS = 1_000
"""Limit of questions in a chat. All that was said and found before is kept in memory while a reply is written."""

NEVER_RAN = "the session never ran: there is nothing to ask about"
INCOMPLETE = "an operator ended the session in the middle of its work, and its record is not complete"
ALREADY_ENDED = "the session has already ended"
DISABLED = "chat is switched off for this chain"
TOO_MANY = f"the chat has its {MOST_QUESTIONS} questions, and takes no more"


def ask_at_rest(session_id: str, state: AtRest, request: i.ChatRequested, spans: tuple[Span, ...]) -> list[e.Event]:
    """`spans`: where the session's lives lie in the log, as its head says."""
    if request.request_id in state.answers:
        return []
    if (refusal := _find_refusal(state)) is not None:
        return [refuse(request, e.CHAT, *refusal)]
    reopened = e.SessionReopened(request_id=request.request_id, spans=spans)
    return [reopened, accept(request, e.CHAT), _make_question(session_id, state, request)]


def ask_while_open(session_id: str, state: Investigating, request: i.ChatRequested) -> list[e.Event]:
    """A phase that gives way ends at once, and its life becomes that of the reply."""
    if request.request_id in state.answers:
        return []
    refusal = phase_of(state).question_refusal or _find_refusal(state)
    if refusal is not None:
        return [refuse(request, e.CHAT, *refusal)]
    return [*interrupt_phase(state), accept(request, e.CHAT), _make_question(session_id, state, request)]


def _make_question(session_id: str, state: AtRest | Investigating, asked: i.ChatRequested) -> e.QuestionAsked:
    message = message_id(session_id, asked.request_id)
    return e.QuestionAsked(
        request_id=asked.request_id,
        chat_id=chat_id(session_id),
        message_id=message,
        stage_id=reply_stage_id(message),
        number=len(state.questions) + 1,
        author=asked.author,
        content=asked.content,
    )


def cancel(state: Investigating, request: i.CancelRequested) -> list[e.Event]:
    """Ends the phase that runs."""
    if request.request_id in state.answers:
        return []
    phase = phase_of(state)
    if not phase.cancel_request:
        return [refuse(request, e.CANCEL, 409, ALREADY_ENDED)]
    if state.cancelled is not None:
        reason = f"the {phase.cancels} is being cancelled already, by {state.cancelled.author}"
        return [refuse(request, phase.cancel_request, 409, reason)]
    return [accept(request, phase.cancel_request)]


def refuse(
    person_request: i.ChatRequested
    | i.CancelRequested
    | i.CallDecisionRequested
    | i.BudgetDecisionRequested
    | i.ReviewRequested
    | i.ScoreRequested
    | i.MemoryChangeRequested
    | i.SessionDeleteRequested
    | i.OperatorRequest,
    request: str,
    code: int,
    reason: str,
) -> e.RequestRefused:
    """`code` is the HTTP status."""
    return e.RequestRefused(
        request_id=person_request.request_id, request=request, author=person_request.author, code=code, reason=reason
    )


def accept(
    person_request: i.ChatRequested
    | i.CancelRequested
    | i.CallDecisionRequested
    | i.BudgetDecisionRequested
    | i.ReviewRequested
    | i.ScoreRequested
    | i.MemoryChangeRequested,
    request: str,
) -> e.RequestAccepted:
    comment = person_request.comment if isinstance(person_request, i.CancelRequested) else ""
    return e.RequestAccepted(
        request_id=person_request.request_id, request=request, author=person_request.author, comment=comment
    )


def _find_refusal(state: AtRest | Investigating) -> tuple[int, str] | None:
    """The HTTP status and the reason; None when the question can be answered."""
    if state.started is None or (isinstance(state, AtRest) and has_loose_ends(state)):
        return 409, INCOMPLETE
    if not state.stages:
        return 400, NEVER_RAN
    if not state.started.chain.chat_enabled:
        return 400, DISABLED
    if len(state.questions) >= MOST_QUESTIONS:
        return 409, TOO_MANY
    return None
