"""Differences between the record of a session and what its models and MCP servers received."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.api.trace import McpInteraction
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.ids import summary_attempt_id
from tarsy_llm.protocol import LlmRequest
from tarsy_session.conversations.model_request import ModelRequest
from tarsy_summary_prompt.excerpt import Excerpt
from tarsy_summary_prompt.request_focus import focus_of
from tarsy_timeline.record.llm_interactions import find_llm_request
from tarsy_timeline.record.mcp_interactions import find_mcp
from tarsy_timeline.record.replay import replay
from tarsy_timeline.record.summaries import choose_request, find_summary

type Asked = tuple[str, str, ModelRequest]
"""Provider, agent, and the request."""


def asked_on_record(records: Sequence[RecordedEvent], results: Mapping[str, str]) -> tuple[list[Asked], list[str]]:
    """All requests to models that the record has, and its faults. `results`: the whole results of tools, by name.

    A call that ended without a report may never have been made: nobody waited for it any longer.
    """
    asked: list[Asked] = []
    faults: list[str] = []
    for record in records:
        event = record.event
        if isinstance(event, e.LlmCallRequested):
            found = find_llm_request(records, event.llm_call_id)
            if found is None:
                faults.append(f"LLM call {event.llm_call_id} is not found")
                continue
            if not found.verified and isinstance(found.call.ended, e.LlmCallCompleted):
                faults.append(f"iteration {event.iteration} of {found.execution.agent.name} is not verified")
            if found.verified is False:
                faults.append(f"iteration {event.iteration} of {found.execution.agent.name} was asked otherwise")
            provider = event.llm_provider or found.execution.llm_provider
            asked.append((provider, found.execution.agent.name, found.request))
        elif isinstance(event, e.SummaryCompleted | e.SummaryFailed):
            for number, attempt in enumerate(event.attempts, start=1):
                request = _summary(records, summary_attempt_id(event.summary_id, number), results)
                if request is None:
                    faults.append(f"summary {event.summary_id} is not verified")
                else:
                    asked.append((attempt.provider, "Summarizer", request))
    return asked, faults


def _summary(records: Sequence[RecordedEvent], id: str, results: Mapping[str, str]) -> ModelRequest | None:
    asked = find_summary(records, id)
    if asked is None or asked.ended.input_bytes is None:
        return None
    excerpt = Excerpt(asked.ended.input_bytes, focus_of(asked.requests[0]))
    excerpt.take(results[asked.call.requested.tool].encode())
    chosen = choose_request(asked, excerpt.finish())
    return None if chosen is None or not chosen[1] else chosen[0]


def differences(
    records: Sequence[RecordedEvent],
    heard: Sequence[tuple[str, LlmRequest]],
    calls: Sequence[tuple[str, str, Mapping[str, JsonValue]]],
    results: Mapping[str, str],
) -> list[str]:
    """`heard`: by provider, what models received. `calls`: id, tool and arguments that MCP servers received."""
    asked, faults = asked_on_record(records, results)
    received = [(provider, request.agent, _neutral(request)) for provider, request in heard]
    faults += [f"{one[0]} was asked by {one[1]} what is not on record" for one in received if one not in asked]
    faults += [f"{one[1]} never asked {one[0]} what is on record" for one in asked if one not in received]
    session = replay(records)
    for call_id, tool, arguments in calls:
        found = find_mcp(session, records[0].session_id, call_id)
        if found is None or (found.tool_name, found.tool_arguments) != (tool, dict(arguments)):
            faults.append(f"{tool} was called otherwise than the record says")
        elif found.outcome == "ok" and not _answered(found, results[tool]):
            faults.append(f"{tool} answered otherwise than the record says")
    return faults


def _answered(call: McpInteraction, answer: str) -> bool:
    result = call.tool_result
    return result is not None and (answer.startswith(result.content[:100]) if result.cut else result.content == answer)


def _neutral(request: LlmRequest) -> ModelRequest:
    return ModelRequest(
        conversation=request.conversation,
        tools=request.tools,
        native_tools=request.native_tools,
        answer_tokens=request.answer_tokens,
        is_last=request.is_last,
    )
