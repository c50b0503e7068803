"""Requests to models as the API's record of a session has them, in the words of libs/llm."""

from collections.abc import Iterator

from tarsy_contracts.api.trace import LlmInteraction, SessionTrace, TracedMessage
from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.protocol import LlmRequest
from tarsy_testing.system.system import System


def read_trace(system: System, session_id: str, at_least: int) -> SessionTrace:
    return SessionTrace.model_validate(system.get(f"/api/v1/sessions/{session_id}/trace?at_least={at_least}"))


def read_llm_interactions(system: System, trace: SessionTrace) -> Iterator[LlmInteraction]:
    for stage in trace.stages:
        for execution in stage.executions:
            for listed in execution.llm_interactions:
                found = system.get(f"/api/v1/sessions/{trace.session_id}/trace/llm/{listed.id}")
                yield LlmInteraction.model_validate(found)


def request_of(interaction: LlmInteraction, agent: str = "any") -> LlmRequest:
    """Models ignore the agent's name and the iteration."""
    facts, conversation = interaction.llm_request, interaction.conversation
    assert facts is not None
    assert conversation is not None
    system, *messages = conversation
    assert system.role == "system"
    return LlmRequest(
        agent=agent,
        iteration=facts.iteration,
        conversation=Conversation(system=system.content, messages=tuple(map(_message, messages))),
        tools=interaction.tools,
        native_tools=facts.native_tools,
        answer_tokens=facts.answer_tokens,
        is_last=facts.is_last,
    )


def _message(message: TracedMessage) -> ConversationMessage:
    match message.role:
        case "user":
            return UserMessage(content=message.content)
        case "assistant":
            calls = tuple(ToolCall(id=one.id, name=one.name, arguments=one.arguments) for one in message.tool_calls)
            return AssistantMessage(content=message.content, tool_calls=calls, opaque=message.opaque)
        case _:
            assert message.tool_call_id is not None
            assert message.tool_name is not None
            return ToolMessage(
                tool_call_id=message.tool_call_id,
                tool_name=message.tool_name,
                content=message.content,
                is_error=message.is_error,
            )
