"""Steps of the timeline that came of a question to a model, by their ids. Pure."""

from typing import Literal

from tarsy_contracts import events as e
from tarsy_contracts.timeline.changes import llm_timeline_event_id
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_timeline.record.replay import LlmCallEnd


def call_steps(ended: LlmCallEnd | None) -> tuple[str, ...]:
    """Those that `timeline_changes` makes of its end, and of the calls of tools that it asked for."""
    match ended:
        case e.LlmCallCompleted():
            texts: list[tuple[Literal["thinking", "text"], str]] = [("thinking", ended.thinking), ("text", ended.text)]
            parts = (llm_timeline_event_id(ended.llm_call_id, part) for part, text in texts if text)
            return (*parts, *(timeline_event_id(call.id, "llm_tool_call") for call in ended.tool_calls))
        case e.LlmCallFailed():
            return (timeline_event_id(ended.llm_call_id, "error"),)
        case None:
            return ()


def attempt_steps(summary_id: str) -> tuple[str, ...]:
    return (timeline_event_id(summary_id, "mcp_tool_summary"),)
