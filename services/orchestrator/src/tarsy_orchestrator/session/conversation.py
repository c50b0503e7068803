"""The conversation that an execution has had so far, as the next LLM call sends it. Pure."""

from collections.abc import Iterator

from tarsy_contracts import events as e
from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_orchestrator.session.controllers.interpretation import final_answer
from tarsy_orchestrator.session.controllers.react import instructions as react
from tarsy_orchestrator.session.llm_retry import ITERATION_TIMEOUT, REPETITION
from tarsy_orchestrator.session.prompt_context import content_of
from tarsy_orchestrator.session.prompts.notes import BE_CONCISE, CONCLUDE, NUDGE, broken_off, outcome_known, tool_result
from tarsy_orchestrator.session.read_result_tool import read_result_name, short_id
from tarsy_orchestrator.session.state import Execution, Investigating, ToolCallState, Turn


def conversation(state: Investigating, execution: Execution) -> Conversation:
    prompt = state.executions[execution.started.prompt_of] if execution.started.prompt_of else execution
    messages: list[ConversationMessage] = [UserMessage(content=prompt.started.prompt)]
    for number, turn in enumerate(execution.turns, start=1):
        messages += _of_turn(state, execution, turn)
        messages += _learned_after(state, execution, number)
    messages += _last_words(state, execution)
    return Conversation(system=_system(execution), messages=tuple(messages))


def tools(execution: Execution) -> tuple[ToolDefinition, ...]:
    """None when the model is to conclude, or does not know what tools are."""
    asked = execution.waiting_for
    concluding = asked is not None and asked.requested.purpose == "conclusion"
    if concluding or execution.agent.controller != "function_calling":
        return ()
    return tuple(tool.definition for tool in execution.tools)


def _system(execution: Execution) -> str:
    """The instructions on record, and, for an agent that calls its tools in plain text, the tools of its stage."""
    started = execution.started
    if execution.agent.controller != "react" or not started.stage_tools:
        return started.system
    return f"{started.system}\n\n{react.tool_descriptions(execution.tools)}"


def _of_turn(state: Investigating, execution: Execution, turn: Turn) -> Iterator[ConversationMessage]:
    answer = turn.answer
    calls = [state.calls[call_id] for call_id in turn.calls]
    reading = read_result_name(execution.tools)
    if execution.agent.controller == "react":
        yield AssistantMessage(content=answer.text, opaque=answer.opaque)
        for call in calls:
            yield UserMessage(content=react.observation(_content(call, reading)))
    else:
        yield AssistantMessage(content=answer.text, tool_calls=answer.tool_calls, opaque=answer.opaque)
        for call in calls:
            yield _result(call, answer, reading)
    if answer.reminder or (not calls and not final_answer(turn)):
        yield UserMessage(content=answer.reminder or NUDGE)


def _last_words(state: Investigating, execution: Execution) -> Iterator[UserMessage]:
    """What is said to the model now, and is not part of the conversation afterwards."""
    failed = execution.retries.failed
    if failed is not None and failed.kind == REPETITION:
        yield UserMessage(content=BE_CONCISE)
    if failed is not None and failed.kind == ITERATION_TIMEOUT:
        yield UserMessage(content=broken_off(state.started.chain.limits.iteration_seconds))
    if execution.waiting_for is not None and execution.waiting_for.requested.purpose == "conclusion":
        yield UserMessage(content=react.CONCLUDE if execution.agent.controller == "react" else CONCLUDE)


def _result(call: ToolCallState, answer: e.LlmCallCompleted, reading: str) -> ToolMessage:
    name = next(asked.name for asked in answer.tool_calls if asked.id == call.requested.call_id)
    return ToolMessage(
        tool_call_id=call.requested.call_id,
        tool_name=name,
        content=_content(call, reading),
        is_error=call.completed is None or call.completed.outcome != "ok",
    )


def _learned_after(state: Investigating, execution: Execution, turn: int) -> Iterator[UserMessage]:
    for call in state.calls.values():
        if call.learned is None or call.learned.after_turn != turn or call.requested.execution_id != execution.id:
            continue
        event = call.learned.event
        note = outcome_known(call.requested.tool, short_id(event.call_id), event.outcome, cut=event.cut)
        yield UserMessage(content=f"{note}\n\n{tool_result(event.content)}")


def _content(call: ToolCallState, reading: str) -> str:
    content, note = content_of(call, reading)
    fenced = tool_result(content)
    return f"{note}\n\n{fenced}" if note else fenced
