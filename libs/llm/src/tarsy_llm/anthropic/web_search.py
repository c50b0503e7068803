"""Anthropic's web search, which runs at its side: its tool, what it found, and what a pause needs back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_contracts.native_calls import NativeCall, WebSource
from tarsy_llm.protocol import LlmRequest

MOST_SEARCHES = 8
"""The most of one answer."""
MOST_PAUSES = 4
"""Anthropic ends a long answer with a pause, and goes on with it when it is asked again."""
NAME = "web_search"


def search_tool(request: LlmRequest) -> list[JsonValue]:
    if "google_search" not in request.native_tools:
        return []
    return [{"type": "web_search_20250305", "name": NAME, "max_uses": MOST_SEARCHES}]


@dataclass(slots=True)
class FoundSearches:
    """Searches by their ids, in order."""

    _queries: dict[str, str] = field(default_factory=dict)
    _sources: dict[str, tuple[WebSource, ...]] = field(default_factory=dict)
    _errors: dict[str, str] = field(default_factory=dict)

    def add_query(self, id: str, arguments: JsonValue) -> None:
        query = arguments.get("query") if isinstance(arguments, dict) else None
        self._queries[id] = query if isinstance(query, str) else ""

    def add_result(self, id: str, content: JsonValue) -> NativeCall:
        if isinstance(content, list):
            self._sources[id] = tuple(_sources(content))
        elif isinstance(content, dict):
            self._errors[id] = str(content.get("error_code") or "error")
        self._queries.setdefault(id, "")
        return self._call(id)

    def calls(self) -> tuple[NativeCall, ...]:
        return tuple(map(self._call, self._queries))

    def _call(self, id: str) -> NativeCall:
        query = self._queries[id]
        return NativeCall(
            tool="google_search",
            queries=(query,) if query else (),
            sources=self._sources.get(id, ()),
            outcome=self._errors.get(id, ""),
        )


def _sources(content: Sequence[JsonValue]) -> Iterator[WebSource]:
    for one in content:
        if isinstance(one, dict) and (source := source_of(one)) is not None:
            yield source


def source_of(found: dict[str, JsonValue]) -> WebSource | None:
    url, title = found.get("url"), found.get("title")
    if not isinstance(url, str):
        return None
    return WebSource(url=url, title=title if isinstance(title, str) else "")
