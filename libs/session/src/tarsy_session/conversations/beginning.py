"""Ready-made beginning of an execution's conversation: it only grows, from one question to the next. Pure.

Nothing that was said to a model changes later, so that a question costs what is new in it. A beginning keeps all that
it was made of, and is made anew where the state shows anything else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import ConversationMessage, UserMessage
from tarsy_contracts.request_digest import ConversationDigest
from tarsy_session.controllers import controller_of
from tarsy_session.controllers.protocol import CallResult
from tarsy_session.conversations.between_turns import LateOutcomes, late_outcomes, messages_after
from tarsy_session.conversations.context_limit import render_content
from tarsy_session.prompts.notes import NUDGE, note_call, note_result, note_sources, render_tool_result
from tarsy_session.skills import instruct_skills
from tarsy_session.state import AlertNews, Execution, Investigating, ToolCallState, Turn
from tarsy_session.state.sources import sources_of


@dataclass(frozen=True, slots=True)
class BeginningSource:
    """All that the messages of a beginning come from, but for its turns and their calls."""

    prompt: e.ExecutionStarted
    started: e.ExecutionStarted
    agent: ResolvedAgent
    tools: tuple[e.OfferedTool, ...]
    news: tuple[AlertNews, ...]
    shortened: e.Shortening


@dataclass(frozen=True, slots=True)
class ConversationBeginning:
    """`messages` are those of `turns`, whose calls were in the states `calls` then. `size`: characters, about."""

    source: BeginningSource
    turns: tuple[Turn, ...]
    calls: tuple[ToolCallState, ...]
    system: str
    messages: tuple[ConversationMessage, ...]
    digest: ConversationDigest
    size: int


def extend_beginning(
    before: ConversationBeginning | None, state: Investigating, execution: Execution
) -> ConversationBeginning:
    """Returns the beginning up to the last turn. `before` saves work, and changes nothing."""
    if before is None or not _fits(before, state, execution):
        before = _without_turns(state, execution)
    new = execution.turns[len(before.turns) :]
    if not new:
        return before
    late = late_outcomes(state, execution)
    numbered = enumerate(new, start=len(before.turns) + 1)
    messages = tuple(message for number, turn in numbered for message in _of_turn(state, execution, number, turn, late))
    return ConversationBeginning(
        source=before.source,
        turns=execution.turns,
        calls=before.calls + tuple(state.calls[call_id] for turn in new for call_id in turn.calls),
        system=before.system,
        messages=before.messages + messages,
        digest=before.digest.extend(messages),
        size=before.size + sum(len(message.content) for message in messages),
    )


def _fits(before: ConversationBeginning, state: Investigating, execution: Execution) -> bool:
    """Compares what is the very same nearly always, which tuples see at once."""
    turns = execution.turns[: len(before.turns)]
    if (before.source, *before.turns) != (_source(state, execution), *turns):
        return False
    return before.calls == tuple(state.calls[call_id] for call_id in chain.from_iterable(turn.calls for turn in turns))


def _source(state: Investigating, execution: Execution) -> BeginningSource:
    prompt = state.executions[execution.started.prompt_of] if execution.started.prompt_of else execution
    return BeginningSource(
        prompt.started, execution.started, execution.agent, execution.tools, state.alerts.news, execution.shortened
    )


def _without_turns(state: Investigating, execution: Execution) -> ConversationBeginning:
    source, system = _source(state, execution), _system(state, execution)
    messages = (UserMessage(content=source.prompt.prompt),)
    return ConversationBeginning(
        source=source,
        turns=(),
        calls=(),
        system=system,
        messages=messages,
        digest=ConversationDigest(system).extend(messages),
        size=len(system) + len(source.prompt.prompt),
    )


def _system(state: Investigating, execution: Execution) -> str:
    """Returns the instructions on record, with what stands there once for several agents.

    That are its skills, and the stage's tools where the controller describes them in words.
    """
    started, controller = execution.started, controller_of(execution.agent.controller)
    described = controller.describe_tools(execution.tools) if started.stage_tools else ""
    parts = (started.system, instruct_skills(state, execution), described)
    return "\n\n".join(part for part in parts if part)


def _of_turn(
    state: Investigating, execution: Execution, number: int, turn: Turn, late: LateOutcomes
) -> Iterator[ConversationMessage]:
    answer = turn.answer
    calls = [state.calls[call_id] for call_id in turn.calls]
    first = sum(len(earlier.calls) for earlier in execution.turns[: number - 1])
    results = [
        CallResult(call, _content(state, execution, number, call, index)) for index, call in enumerate(calls, first)
    ]
    yield from controller_of(execution.agent.controller).render_turn(answer, results)
    if sources := [source for source in sources_of(answer) if source.number]:
        yield UserMessage(content=note_sources(sources))
    if answer.reminder or (not calls and not turn.final_answer):
        yield UserMessage(content=answer.reminder or NUDGE)
    yield from messages_after(state, execution, number, late)


def _content(state: Investigating, execution: Execution, number: int, call: ToolCallState, index: int) -> str:
    """Nothing in it changes later: providers keep the beginning of a conversation that stays the same."""
    content, note = render_content(state, execution, call, index)
    named = note_call(call.requested.number)
    at = "" if call.completed_at is None else note_result(call.completed_at, number, execution.agent.max_iterations)
    shown = render_tool_result(content) if content or index >= execution.shortened.results_left_out else ""
    return "\n\n".join(part for part in (named, at, note, shown) if part)
