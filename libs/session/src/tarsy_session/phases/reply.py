"""The reply to a person's question: one stage of its own, with one agent. The investigation stays as it ended. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_session.phases.investigation import end_session
from tarsy_session.phases.phase import Phase, StageKind
from tarsy_session.phases.stage_start import begin_stage
from tarsy_session.prompt_context.question import compose_question
from tarsy_session.prompts.system import instruct_answerer
from tarsy_session.state import REPLY, Investigating, Stage
from tarsy_session.state_queries import chat_agent

CHAT = "Chat"
REPLYING = "a reply is being written: wait for its end, or cancel it"
REPLY_CANCELLED = "The reply is being cancelled."


def _start_reply(state: Investigating) -> Sequence[e.Event]:
    """The stage of a reply belongs to no stage of the plan."""
    question, agent = state.life.question, chat_agent(state.started.chain)
    return [] if question is None else [begin_stage(state, CHAT, "chat", (agent,), id=question.asked.stage_id)]


def _follow_stage(state: Investigating, _: Stage, completed: e.StageCompleted) -> Sequence[e.Event]:
    return [_make_reply_end(state, completed.status, completed.error)]


def _make_reply_end(state: Investigating, status: e.EndStatus, error: str) -> e.Event:
    if state.life.question is None:
        return end_session(state, status, error)
    question = state.life.question.asked
    return e.ReplyCompleted(message_id=question.message_id, stage_id=question.stage_id, status=status, error=error)


PHASE = Phase(
    name=REPLY,
    kinds={"chat": StageKind(lambda chain, _: (chat_agent(chain),), instruct_answerer, compose_question)},
    seconds=lambda limits: limits.reply_seconds,
    start=_start_reply,
    follow=_follow_stage,
    end=_make_reply_end,
    question_refusal=(409, REPLYING),
    admission=None,
    cancels="reply",
    cancel_request=e.CANCEL_REPLY,
    cancel_answer=REPLY_CANCELLED,
)
