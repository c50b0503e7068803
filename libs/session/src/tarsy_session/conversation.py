"""Conversation of an execution so far, as the next LLM call sends it. Pure."""

from collections.abc import Iterator

from tarsy_contracts.conversation import (
    Conversation,
    ConversationMessage,
    ToolDefinition,
    UserMessage,
)
from tarsy_session.between_turns import messages_after
from tarsy_session.controllers import controller_of
from tarsy_session.controllers.protocol import AgentController, CallResult
from tarsy_session.llm_failures import ITERATION_TIMEOUT, REPETITION
from tarsy_session.prompt_histories import content_of
from tarsy_session.prompts.notes import (
    BE_CONCISE,
    NUDGE,
    note_broken_off,
    note_result,
    render_tool_result,
)
from tarsy_session.read_result_tool import read_result_name
from tarsy_session.state import Execution, Investigating, ToolCallState, Turn


def build_conversation(state: Investigating, execution: Execution) -> Conversation:
    prompt = state.executions[execution.started.prompt_of] if execution.started.prompt_of else execution
    messages: list[ConversationMessage] = [UserMessage(content=prompt.started.prompt)]
    for number, turn in enumerate(execution.turns, start=1):
        messages += _of_turn(state, execution, number, turn)
        messages += messages_after(state, execution, number)
    messages += _last_words(state, execution)
    return Conversation(system=_system(execution), messages=tuple(messages))


def offered_tools(execution: Execution) -> tuple[ToolDefinition, ...]:
    """Returns the tools that go with the call, the same with every call: providers keep them in their caches."""
    return _controller(execution).offer_tools(execution.tools)


def is_last_answer(execution: Execution) -> bool:
    """Whether the conversation ends with the answer that is owed. It may call no tool any more."""
    asked = execution.waiting_for
    concludes = asked is not None and asked.requested.purpose == "conclusion"
    return concludes or _controller(execution).asks_once


def _controller(execution: Execution) -> AgentController:
    return controller_of(execution.agent.controller)


def _system(execution: Execution) -> str:
    """Returns the instructions on record, with the stage's tools where the controller describes them in words."""
    started = execution.started
    described = _controller(execution).describe_tools(execution.tools) if started.stage_tools else ""
    return f"{started.system}\n\n{described}" if described else started.system


def _of_turn(state: Investigating, execution: Execution, number: int, turn: Turn) -> Iterator[ConversationMessage]:
    answer = turn.answer
    calls = [state.calls[call_id] for call_id in turn.calls]
    results = [CallResult(call, _content(execution, number, call)) for call in calls]
    yield from _controller(execution).render_turn(answer, results)
    if answer.reminder or (not calls and not turn.final_answer):
        yield UserMessage(content=answer.reminder or NUDGE)


def _last_words(state: Investigating, execution: Execution) -> Iterator[UserMessage]:
    """Yields messages for this call only: they are not part of the conversation afterwards."""
    failed = execution.retries.failed
    if failed is not None and failed.kind == REPETITION:
        yield UserMessage(content=BE_CONCISE)
    if failed is not None and failed.kind == ITERATION_TIMEOUT:
        yield UserMessage(content=note_broken_off(state.started.chain.limits.iteration_seconds))
    if execution.waiting_for is not None and execution.waiting_for.requested.purpose == "conclusion":
        yield UserMessage(content=_controller(execution).request_conclusion())


def _content(execution: Execution, number: int, call: ToolCallState) -> str:
    """Nothing in it changes later: providers keep the beginning of a conversation that stays the same."""
    content, note = content_of(call, read_result_name(execution.tools))
    at = "" if call.completed_at is None else note_result(call.completed_at, number, execution.agent.max_iterations)
    return "\n\n".join(part for part in (at, note, render_tool_result(content)) if part)
