"""Tool runs, as the lab's MCP servers noted them."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, JsonValue, ValidationError

from tarsy_contracts.wire.ids import session_traceparent
from tarsy_verification.invariants import ToolRun


class ToolRunNote(BaseModel):
    tool: str
    arguments: dict[str, JsonValue]
    phase: str
    trace_id: str = ""


def runs_of(file: Path, session_id: str) -> list[ToolRun]:
    """The starts that the session caused: a server is told of its trace with every call. Raises OSError."""
    trace = session_traceparent(session_id).split("-")[1]
    notes = _notes(file)
    return [ToolRun(one.tool, one.arguments) for one in notes if one.phase == "started" and one.trace_id == trace]


def _notes(file: Path) -> Iterator[ToolRunNote]:
    """A server that was killed may have left half a line."""
    for text in file.read_text(encoding="utf-8").splitlines():
        try:
            yield ToolRunNote.model_validate_json(text)
        except ValidationError:
            continue
