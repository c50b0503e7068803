"""Timeline of what models did with tools of their providers."""

from collections.abc import Iterator, Mapping

from tarsy_contracts import events as e
from tarsy_contracts.chain import NativeTool
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.native_calls import NativeCall, describe_native_call
from tarsy_contracts.timeline.model import TimelineCreated, TimelineEventType, create_event

NATIVE_EVENT_TYPES: Mapping[NativeTool, TimelineEventType] = {
    "google_search": "google_search_result",
    "url_context": "url_context_result",
    "code_execution": "code_execution",
}
"""The names of Go TARSy. A tool that is not known is shown as `native_tool`."""


def show_native_calls(
    record: RecordedEvent, event: e.LlmCallCompleted | e.LlmCallFailed, *, index: int
) -> Iterator[TimelineCreated]:
    """`index`: the place of the first. They have ended, as the provider ran them within the call."""
    for number, call in enumerate(event.native_calls):
        yield _show_native_call(record, event, call, number, index + number)


def show_left_out(record: RecordedEvent, event: e.LlmCallCompleted, *, index: int) -> Iterator[TimelineCreated]:
    if event.native_tools_left_out:
        names = ", ".join(event.native_tools_left_out)
        yield create_event(
            record,
            "missing_tools",
            f"{event.model or 'The model'} was not given tools of its provider that the agent has: {names}.",
            cause=event.llm_call_id,
            execution_id=event.execution_id,
            index=index,
            metadata={"native_tools_left_out": list(event.native_tools_left_out)},
        )


def _show_native_call(
    record: RecordedEvent, event: e.LlmCallCompleted | e.LlmCallFailed, call: NativeCall, number: int, index: int
) -> TimelineCreated:
    return create_event(
        record,
        NATIVE_EVENT_TYPES.get(call.tool, "native_tool"),
        describe_native_call(call),
        cause=f"{event.llm_call_id}/{number}",
        execution_id=event.execution_id,
        index=index,
        metadata={"llm_call_id": event.llm_call_id, **call.model_dump(mode="json")},
    )
