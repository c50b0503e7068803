"""Calls that run, and what they have said: pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, assert_never

from tarsy_contracts.messages.chunks import LlmChunk, SummaryChunk, TextSoFar
from tarsy_contracts.timeline.changes import LLM_EVENT_TYPES, llm_timeline_event_id
from tarsy_contracts.wire.ids import timeline_event_id


@dataclass(slots=True)
class Part:
    """One timeline event that grows. `logged`: the log has announced it, so that history has it too."""

    event_id: str
    event_type: str
    logged: bool = False
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Call:
    call_id: str
    session_id: str
    execution_id: str | None
    time: datetime
    stage_id: str | None = None
    run: int = -1
    index: int = -1
    size: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    untold: bool = False
    """It streamed before somebody watched, and its text is still being read: clients get it once, when it is whole."""
    torn: bool = False
    """Its beginning is not known: it is not told until then."""
    lacks_chunk: bool = False
    """A chunk was lost: all that was said has to be told again."""
    _event_ids: dict[str, str] = field(default_factory=dict)
    """The timeline event of each kind of chunk: each chunk asks for it."""

    def part_of(self, chunk: LlmChunk | SummaryChunk) -> Part | None:
        """None of a timeline event that nobody knows yet."""
        kind = chunk.part if isinstance(chunk, LlmChunk) else chunk.type
        event_id = self._event_ids.get(kind)
        if event_id is None:
            event_id = self._event_ids[kind] = part_of_chunk(chunk).event_id
        return self.parts.get(event_id)

    def add(self, chunk: LlmChunk | SummaryChunk) -> Part:
        part = part_of_chunk(chunk)
        self.parts[part.event_id] = part
        return part


def signs_of_end(call_id: str, execution_id: str | None, parts: Iterable[str]) -> set[str]:
    """Timeline events and executions, one of which at least has ended where the call has.

    A failed call shows as an error (contracts.timeline).
    """
    return {*parts, timeline_event_id(call_id, "error"), execution_id or ""}


def parts_so_far(chunk: TextSoFar) -> Iterator[tuple[Part, str]]:
    if chunk.thinking:
        yield _llm_part(chunk.call_id, "thinking"), chunk.thinking
    if chunk.text:
        yield _llm_part(chunk.call_id, "text"), chunk.text
    if chunk.summary:
        yield summary_part(chunk.call_id), chunk.summary


def _llm_part(call_id: str, part: Literal["thinking", "text"]) -> Part:
    return Part(llm_timeline_event_id(call_id, part), LLM_EVENT_TYPES[part])


def part_of_chunk(chunk: LlmChunk | SummaryChunk) -> Part:
    match chunk:
        case LlmChunk():
            return _llm_part(chunk.call_id, chunk.part)
        case SummaryChunk():
            return summary_part(chunk.call_id)
        case _:
            assert_never(chunk)


def summary_part(summary_id: str) -> Part:
    return Part(timeline_event_id(summary_id, "mcp_tool_summary"), "mcp_tool_summary")
