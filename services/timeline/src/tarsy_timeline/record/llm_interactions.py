"""A question to a model with all that it was given, made again from the log. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.api.trace import (
    LlmInteraction,
    LlmRequestFacts,
    LlmResponseFacts,
    Role,
    TracedMessage,
    TracedToolCall,
)
from tarsy_contracts.conversation import AssistantMessage, Conversation, ConversationMessage, ToolCall, ToolMessage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.conversations.model_request import ModelRequest, compose_request
from tarsy_session.state import Execution, Investigating
from tarsy_timeline.record.listed_llm import list_llm_call
from tarsy_timeline.record.replay import LlmCallEnd, LlmCallRecord, states_of


@dataclass(frozen=True, slots=True)
class AskedModel:
    """An LLM call with its request, as the model was given it."""

    call: LlmCallRecord
    execution: Execution
    request: ModelRequest

    @property
    def verified(self) -> bool | None:
        """Whether what was sent has the same digest; None without one."""
        sent = "" if self.call.ended is None else self.call.ended.request_digest
        return self.request.digest == sent if sent else None


def find_llm_request(records: Sequence[RecordedEvent], llm_call_id: str) -> AskedModel | None:
    """Replays the session up to the call. The request is that of the state in which the call was owed."""
    for record, state in states_of(records):
        asked = record.event
        if not isinstance(asked, e.LlmCallRequested) or asked.llm_call_id != llm_call_id:
            continue
        if not isinstance(state, Investigating):
            return None
        execution = state.executions[asked.execution_id]
        call = LlmCallRecord(asked, record.envelope.time, *_find_end_of(records, llm_call_id))
        return AskedModel(call, execution, compose_request(state, execution))
    return None


def _find_end_of(records: Sequence[RecordedEvent], llm_call_id: str) -> tuple[LlmCallEnd, datetime] | tuple[None, None]:
    """And when it was recorded."""
    for record in records:
        event = record.event
        if isinstance(event, e.LlmCallCompleted | e.LlmCallFailed) and event.llm_call_id == llm_call_id:
            return event, record.envelope.time
    return None, None


def find_llm(records: Sequence[RecordedEvent], llm_call_id: str) -> LlmInteraction | None:
    found = find_llm_request(records, llm_call_id)
    return None if found is None else describe_llm_call(found)


def describe_llm_call(sent: AskedModel) -> LlmInteraction:
    requested, ended, request = sent.call.requested, sent.call.ended, sent.request
    answered = ended if isinstance(ended, e.LlmCallCompleted) else None
    return LlmInteraction(
        **dict(list_llm_call(sent.call, sent.execution)),
        execution_id=requested.execution_id,
        tool_call_id=None,
        thinking_content=None if answered is None else answered.thinking or None,
        llm_request=request_facts(request, requested.iteration, requested.attempt),
        llm_response=None if answered is None else response_facts(answered.text, answered.tool_calls),
        conversation=trace_conversation(request.conversation),
        tools=request.tools,
        answer=(
            None
            if answered is None
            else TracedMessage(
                role="assistant",
                content=answered.text,
                tool_calls=_to_traced_calls(answered.tool_calls),
                opaque=answered.opaque,
            )
        ),
        request_digest=None if ended is None else ended.request_digest or None,
        verified=sent.verified,
        missing=None,
    )


def request_facts(request: ModelRequest, iteration: int, attempt: int) -> LlmRequestFacts:
    return LlmRequestFacts(
        iteration=iteration,
        attempt=attempt,
        messages_count=1 + len(request.conversation.messages),
        tools_count=len(request.tools),
        native_tools=request.native_tools,
        answer_tokens=request.answer_tokens,
        is_last=request.is_last,
    )


def response_facts(text: str, calls: Sequence[ToolCall] = ()) -> LlmResponseFacts:
    return LlmResponseFacts(text_length=len(text), tool_calls_count=len(calls))


def trace_conversation(conversation: Conversation) -> tuple[TracedMessage, ...]:
    """The system prompt is the first message."""
    return (TracedMessage(role="system", content=conversation.system), *map(_to_traced_message, conversation.messages))


def _to_traced_message(message: ConversationMessage) -> TracedMessage:
    role: Role = message.role
    match message:
        case AssistantMessage():
            calls = _to_traced_calls(message.tool_calls)
            return TracedMessage(role=role, content=message.content, tool_calls=calls, opaque=message.opaque)
        case ToolMessage():
            return TracedMessage(
                role=role,
                content=message.content,
                tool_call_id=message.tool_call_id,
                tool_name=message.tool_name,
                is_error=message.is_error,
            )
        case _:
            return TracedMessage(role=role, content=message.content)


def _to_traced_calls(calls: Sequence[ToolCall]) -> tuple[TracedToolCall, ...]:
    return tuple(TracedToolCall(id=call.id, name=call.name, arguments=call.arguments) for call in calls)
