"""Native tools of Gemini, which run at its side: as lines for people, and as parts that it wants back."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import JsonValue

if TYPE_CHECKING:
    from google.genai import types

LINE_CHARACTERS = 4_000
MOST_CHARACTERS = 16_000
MOST_KEPT_BYTES = 64 * 1024
KEPT_FIELDS = {"tool_call", "tool_response", "executable_code", "code_execution_result"}
SUGGESTIONS = "search_suggestions"
"""HTML with links to the same searches: its words are those of the call, which is told."""
LEFT_OUT = "[more that the model did by itself is left out]"


class NativeTold:
    """Each line once, and not too many."""

    def __init__(self) -> None:
        self._sent: set[str] = set()
        self._left = MOST_CHARACTERS

    def take(self, line: str) -> str:
        """The line, shortened where there is no room; empty when it came before."""
        if line in self._sent:
            return ""
        self._sent.add(line)
        capacity = min(self._left, LINE_CHARACTERS)
        self._left -= min(len(line), capacity)
        if len(line) <= capacity:
            return line
        return f"{line[:capacity]} [{len(line) - capacity} characters left out]" if capacity else self._last()

    def _last(self) -> str:
        was_sent = LEFT_OUT in self._sent
        self._sent.add(LEFT_OUT)
        return "" if was_sent else LEFT_OUT


def lines_of_part(part: "types.Part") -> Iterator[str]:
    if part.tool_call is not None:
        yield f"[{_tool(part.tool_call.tool_type)}: {_json(part.tool_call.args or {})}]"
    if part.tool_response is not None:
        response = {key: value for key, value in (part.tool_response.response or {}).items() if key != SUGGESTIONS}
        if response:
            yield f"[{_tool(part.tool_response.tool_type)} returned: {_json(response)}]"
    if part.executable_code is not None:
        yield f"[ran this code]\n{part.executable_code.code or ''}"
    if part.code_execution_result is not None:
        result = part.code_execution_result
        outcome = result.outcome.value.removeprefix("OUTCOME_").lower() if result.outcome is not None else "no outcome"
        yield f"[its output, {outcome}]\n{result.output or ''}"
    if part.inline_data is not None:
        yield f"[made a file, {part.inline_data.mime_type}, that is not kept]"


def lines_of_grounding(candidate: "types.Candidate") -> Iterator[str]:
    """Searches, findings and pages of an answer; Gemini sends them beside its words."""
    grounding = candidate.grounding_metadata
    if grounding is not None:
        for query in grounding.web_search_queries or []:
            yield f"[searched the web for: {query}]"
        for chunk in grounding.grounding_chunks or []:
            if chunk.web is not None:
                yield f"[found: {chunk.web.title or 'a page'}, {chunk.web.uri or 'no address'}]"
    read = candidate.url_context_metadata
    for page in (read.url_metadata if read is not None else None) or []:
        status = page.url_retrieval_status
        how = status.value.removeprefix("URL_RETRIEVAL_STATUS_").lower() if status is not None else "no status"
        yield f"[read: {page.retrieved_url}, {how}]"


def dump_native_part(part: "types.Part") -> dict[str, JsonValue] | None:
    """The part without its signature; None where it is no part of a native tool."""
    kept: dict[str, JsonValue] = part.model_dump(mode="json", exclude_none=True, include=KEPT_FIELDS)
    return kept or None


def fits(kept: list[dict[str, JsonValue]]) -> bool:
    return sum(len(_json(part).encode()) for part in kept) <= MOST_KEPT_BYTES


def _tool(kind: "types.ToolType | None") -> str:
    return kind.value.lower() if kind is not None else "a tool of its own"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
