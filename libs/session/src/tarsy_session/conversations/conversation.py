"""Conversation of an execution so far, as the next LLM call sends it. Pure."""

from collections.abc import Iterator

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Conversation, ToolDefinition, UserMessage
from tarsy_session.controllers import controller_of
from tarsy_session.controllers.protocol import AgentController
from tarsy_session.conversations.beginning import extend_beginning
from tarsy_session.llm_failures import ITERATION_TIMEOUT, REPETITION
from tarsy_session.prompts.notes import (
    BE_CONCISE,
    CALL_AGAIN,
    TIME_NEARLY_UP,
    WRITE_LESS,
    note_broken_off,
    note_tools_left_out,
)
from tarsy_session.state import Execution, Investigating

LAST_WORDS = {"malformed_call": CALL_AGAIN, "truncated": WRITE_LESS}
"""Messages to a model after a failure of its own making, by the kind."""


def build_conversation(state: Investigating, execution: Execution) -> Conversation:
    beginning = extend_beginning(None, state, execution)
    return Conversation(system=beginning.system, messages=(*beginning.messages, *last_words(state, execution)))


def list_offered_tools(execution: Execution) -> tuple[ToolDefinition, ...]:
    """Returns the tools that go with the call, the same with every call: providers keep them in their caches."""
    tools = [tool for tool in execution.tools if tool.definition.name not in execution.left_out]
    return _controller_of_execution(execution).offer_tools(tools)


def is_last_answer(execution: Execution) -> bool:
    """Whether the conversation ends with the answer that is owed. It may call no tool any more."""
    pending = execution.waiting_for
    concludes = pending is not None and pending.requested.purpose == "conclusion"
    return concludes or _controller_of_execution(execution).asks_once


def last_words(state: Investigating, execution: Execution) -> Iterator[UserMessage]:
    """Yields messages for this call only: they are not part of the conversation afterwards."""
    failed = execution.retries.failed
    if failed is not None and failed.kind == REPETITION:
        yield UserMessage(content=BE_CONCISE)
    if failed is not None and failed.kind in LAST_WORDS:
        yield UserMessage(content=LAST_WORDS[failed.kind])
    if execution.left_out:
        yield UserMessage(content=note_tools_left_out(sorted(execution.left_out)))
    if failed is not None and failed.kind == ITERATION_TIMEOUT:
        yield UserMessage(content=note_broken_off(state.started.chain.limits.iteration_seconds))
    pending = execution.waiting_for
    if pending is not None and pending.requested.reason == e.TIME_BUDGET:
        yield UserMessage(content=TIME_NEARLY_UP)
    if pending is not None and pending.requested.purpose == "conclusion":
        yield UserMessage(content=_controller_of_execution(execution).request_conclusion())


def _controller_of_execution(execution: Execution) -> AgentController:
    return controller_of(execution.agent.controller)
