"""Requests for the queues of workers, and the route of each. Pure."""

from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts.events import ToolCallCompleted
from tarsy_contracts.messages.requests import LogPosition, Request, SummaryRequest, ToolCallRequest
from tarsy_contracts.wire.ids import derive_id
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS
from tarsy_session.builtin_tools import find_builtin
from tarsy_session.downtime import NO_DOWNTIME, Downtime
from tarsy_session.effects import QueuedEffect, SummaryEffect, ToolCallEffect, effect_of_call
from tarsy_session.prompt_context.histories import compose_steps_before
from tarsy_session.prompts.sources import compose_alert
from tarsy_session.state import Execution, Investigating
from tarsy_session.text import shorten

PURPOSE_CHARACTERS = 4_000
ALERT_CHARACTERS = 20_000
QUESTION_CHARACTERS = 8_000
WORDS_CHARACTERS = 12_000
TURNS_OF_WORDS = 3
STEPS_CHARACTERS = 60_000
"""The alert and the steps so far take less than half of what a summarizer may read of the result."""
RESULTS_CHARACTERS = 16_000
"""Earlier results in the steps take no more, and at most a quarter of the result that is to be shortened."""


def request_of(
    session_id: str, state: Investigating, effect: QueuedEffect, downtime: Downtime = NO_DOWNTIME
) -> Request | None:
    """Returns None when the state does not owe the effect any longer.

    The state may be newer than the effect: the call has ended meanwhile, or waits for a person.
    """
    call = state.calls.get(effect.call.requested.call_id)
    owed = None if call is None else effect_of_call(state, call)
    if owed is None or owed.id != effect.id:
        return None
    not_after = downtime.postpone(effect.since, effect.deadline)
    if isinstance(effect, ToolCallEffect):
        return _tool_call_request(session_id, state, effect, not_after)
    return _summary_request(session_id, state, effect, not_after)


def _tool_call_request(
    session_id: str, state: Investigating, effect: ToolCallEffect, not_after: datetime
) -> ToolCallRequest:
    requested = effect.call.requested
    execution = state.executions.get(requested.execution_id)
    request = copy_fields(
        ToolCallRequest,
        requested,
        session_id=session_id,
        not_after=not_after,
        agent="" if execution is None else execution.agent.name,
        releases=effect.releases,
    )
    builtin = find_builtin(requested.server, requested.tool)
    return request if builtin is None else builtin.complete_request(state, request)


def _summary_request(
    session_id: str, state: Investigating, effect: SummaryEffect, not_after: datetime
) -> SummaryRequest | None:
    execution = state.executions.get(effect.call.requested.execution_id)
    completed, position = effect.call.completed, effect.call.result_at
    if execution is None or completed is None or position is None:
        return None
    requested, question = effect.call.requested, state.life.question
    rule = execution.summary_rule(requested.server)
    results = min(completed.size // 4, RESULTS_CHARACTERS)
    chain = state.started.chain
    provider = rule.llm_provider or chain.summary_llm_provider or execution.llm_provider
    stand_ins = execution.agent.fallback_providers if chain.summary_fallbacks is None else chain.summary_fallbacks
    return SummaryRequest(
        session_id=session_id,
        call_id=effect.summary.requested.summary_id,
        execution_id=requested.execution_id,
        agent=execution.agent.name,
        server=requested.server,
        tool=requested.tool,
        arguments=requested.arguments,
        alert_title=state.started.alert.title,
        alert=shorten(compose_alert(state.started.alert), ALERT_CHARACTERS),
        steps=compose_steps_before(state, execution, requested.call_id, STEPS_CHARACTERS, results=results),
        purpose=_purpose_of_call(execution, requested.call_id)[:PURPOSE_CHARACTERS],
        result_event=LogPosition(partition=position.partition, offset=position.offset),
        stored=completed.stored,
        llm_provider=provider,
        fallback_providers=tuple(other for other in stand_ins if other != provider),
        max_tokens=rule.summary_max_token_limit,
        timeout_seconds=effect.summary.requested.timeout_seconds,
        not_after=not_after,
        words=_last_words_of_agent(execution)[-WORDS_CHARACTERS:],
        called_at=effect.call.requested_at,
        began_at=state.life.opened_at if question is None else None,
        kept_whole=_is_kept_whole(completed),
        releases=effect.releases,
        question="" if question is None else shorten(question.asked.content, QUESTION_CHARACTERS),
        asked_at=None if question is None else question.at,
    )


def _is_kept_whole(completed: ToolCallCompleted) -> bool:
    return not completed.cut if completed.stored is None else completed.stored.size >= completed.size


def _last_words_of_agent(execution: Execution) -> str:
    """The words of the last turns: the times that the agent names in them are what it is after."""
    answers = [turn.answer for turn in execution.turns[-TURNS_OF_WORDS:]]
    return "\n\n".join(part for answer in answers for part in (answer.thinking, answer.text) if part)


def _purpose_of_call(execution: Execution, call_id: str) -> str:
    for turn in reversed(execution.turns):
        if call_id in turn.calls:
            return "\n\n".join(part for part in (turn.answer.thinking, turn.answer.text) if part)
    return ""


@dataclass(frozen=True, slots=True)
class Route:
    key: str
    partition: int


def route_of(
    session_id: str, state: Investigating, effect: QueuedEffect, attempt: int, partitions: int = QUEUE_PARTITIONS
) -> Route:
    """The way into a queue that has so many partitions.

    A call that was given back goes another way, and so does one that nobody claims after two requests.

    The first repeat goes where the request went: a worker that is only slow knows the call, and does not run it again.
    A server that keeps state for each investigation is called by one worker as long as that one lives: all its
    calls go one way.
    """
    server = _session_at_server(state, effect)
    if server:
        key = f"{session_id}/{server}"
        return Route(key, partition_of_attempt(key, 0, partitions))
    slot = effect.releases + (attempt - 1) // 2
    return Route(effect.id, partition_of_attempt(effect.id, slot, partitions))


def _session_at_server(state: Investigating, effect: QueuedEffect) -> str:
    """Returns the server when it has a session for this investigation alone."""
    if not isinstance(effect, ToolCallEffect):
        return ""
    requested = effect.call.requested
    execution = state.executions.get(requested.execution_id)
    isolated = execution is not None and _is_isolated(execution, requested.server)
    return requested.server if isolated else ""


def _is_isolated(execution: Execution, server: str) -> bool:
    return any(one.server == server and one.isolation == "session" for one in execution.agent.servers)


def partition_of_attempt(key: str, slot: int, partitions: int = QUEUE_PARTITIONS) -> int:
    """The partition of the queue for the attempt at this place in their order.

    Each partition comes once before one comes again.
    """
    first = int(derive_id("attempt", key, 0).replace("-", ""), 16) % partitions
    if slot % partitions == 0:
        return first
    others = [partition for partition in range(partitions) if partition != first]
    others.sort(key=lambda partition: derive_id("attempt", key, partition))
    return others[slot % partitions - 1]
