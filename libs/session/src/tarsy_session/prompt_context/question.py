"""Prompt of a reply: the finished investigation, the chat so far, and the question. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.events.session import describe_cancel
from tarsy_session.builtin_tools.fetch_runbook import find_runbook
from tarsy_session.builtin_tools.read_result import read_result_name
from tarsy_session.prompt_context.firing import describe_firing
from tarsy_session.prompt_context.histories import history_of
from tarsy_session.prompts.material import AskedNow, Investigated, ReplyHistory, StageHistory
from tarsy_session.prompts.sources import compose_alert
from tarsy_session.prompts.task import compose_question_prompt, join_parts
from tarsy_session.prompts.transcript import compose_transcript
from tarsy_session.state import Ending, Investigating, Stage
from tarsy_session.state_queries import chat_agent, select_investigation_stages

CHARACTERS_PER_TOKEN = 3
DEFAULT_CONTEXT_TOKENS = 128_000
MOST_CHARACTERS = 500_000
"""The prompt is on record with every question, so that it is bounded where the model could read more."""


def compose_question(state: Investigating, stage: Stage, at: datetime, tools: Sequence[e.OfferedTool]) -> str:
    question = state.life.question
    assert question is not None
    current = AskedNow(question.asked.author, question.at, question.asked.content, describe_firing(state))
    return compose_question_prompt(
        state.started.alert,
        find_runbook(state),
        replace(collect_investigation(state), replies=tuple(_replies(state))),
        current,
        limit=history_limit(chat_agent(state.started.chain)),
        read_result=read_result_name(tools),
    )


def compose_investigated(state: Investigating, agent: ResolvedAgent) -> str:
    """The finished investigation, for an agent that is asked about it once."""
    alert = compose_alert(state.started.alert)
    return join_parts(alert, compose_transcript(collect_investigation(state), history_limit(agent)))


def history_limit(agent: ResolvedAgent) -> int:
    """Characters of all that was before. The other half of what a model can read is for the reply and its calls."""
    tokens = agent.context_tokens or DEFAULT_CONTEXT_TOKENS
    return min(tokens // 2 * CHARACTERS_PER_TOKEN, MOST_CHARACTERS)


def collect_investigation(state: Investigating) -> Investigated:
    """Without the chat that followed."""
    stages = tuple(_stage(state, stage) for stage in select_investigation_stages(state))
    return Investigated(ended=_describe_end(state.ended), stages=stages, replies=())


def _stage(state: Investigating, stage: Stage) -> StageHistory:
    status = stage.completed.status if stage.completed is not None else "active"
    agents = tuple(history_of(state, execution) for execution in state.all_executions_of(stage))
    return StageHistory(stage.started.name, status, agents)


def _replies(state: Investigating) -> Iterator[ReplyHistory]:
    """Yields those of earlier lives."""
    stages = {stage.started.stage_id: stage for stage in state.stages}
    for question in state.questions:
        if question == state.life.question:
            continue
        stage = stages.get(question.asked.stage_id)
        executions = state.executions_of(stage) if stage is not None else []
        answer = history_of(state, executions[0]) if executions else None
        yield ReplyHistory(question.asked.author, question.at, question.asked.content, answer)


def _describe_end(ended: Ending | None) -> str:
    match ended:
        case None | e.SessionCompleted():
            return "completed"
        case e.SessionFailed(error=error):
            return f"failed, {error}"
        case e.SessionTimedOut(error=error):
            return f"timed out, {error}"
        case e.SessionCancelled(author=author, comment=comment):
            return describe_cancel(author, comment)
