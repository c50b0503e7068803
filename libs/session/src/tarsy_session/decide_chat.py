"""Decisions on questions of people, and on their wish that a session or a reply ends. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.heads import Span
from tarsy_contracts.ids import chat_id, message_id, reply_stage_id
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


def ask_at_rest(session_id: str, state: AtRest, asked: i.ChatRequested, spans: tuple[Span, ...]) -> list[e.Event]:
    """`spans`: where the session's lives lie in the log, as its head says."""
    if asked.request_id in state.answers:
        return []
    if (refusal := _refusal(state)) is not None:
        return [refuse(asked, e.CHAT, *refusal)]
    reopened = e.SessionReopened(request_id=asked.request_id, spans=spans)
    return [reopened, accept(asked, e.CHAT), _question(session_id, state, asked)]


def ask_while_open(session_id: str, state: Investigating, asked: i.ChatRequested) -> list[e.Event]:
    """A phase that gives way ends at once, and its life becomes that of the reply."""
    if asked.request_id in state.answers:
        return []
    refusal = phase_of(state).question_refusal or _refusal(state)
    if refusal is not None:
        return [refuse(asked, e.CHAT, *refusal)]
    return [*interrupt_phase(state), accept(asked, e.CHAT), _question(session_id, state, asked)]


def _question(session_id: str, state: AtRest | Investigating, asked: i.ChatRequested) -> e.QuestionAsked:
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


def cancel(state: Investigating, asked: i.CancelRequested) -> list[e.Event]:
    """Ends the phase that runs."""
    if asked.request_id in state.answers:
        return []
    phase = phase_of(state)
    if not phase.cancel_request:
        return [refuse(asked, e.CANCEL, 409, ALREADY_ENDED)]
    if state.cancelled is not None:
        reason = f"the {phase.cancels} is being cancelled already, by {state.cancelled.author}"
        return [refuse(asked, phase.cancel_request, 409, reason)]
    return [accept(asked, phase.cancel_request)]


def refuse(
    asked: i.ChatRequested | i.CancelRequested | i.CallDecisionRequested | i.SessionDeleteRequested | i.OperatorRequest,
    request: str,
    code: int,
    reason: str,
) -> e.RequestRefused:
    """`code` is the HTTP status."""
    return e.RequestRefused(request_id=asked.request_id, request=request, author=asked.author, code=code, reason=reason)


def accept(asked: i.ChatRequested | i.CancelRequested | i.CallDecisionRequested, request: str) -> e.RequestAccepted:
    comment = asked.comment if isinstance(asked, i.CancelRequested) else ""
    return e.RequestAccepted(request_id=asked.request_id, request=request, author=asked.author, comment=comment)


def _refusal(state: AtRest | Investigating) -> tuple[int, str] | None:
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
