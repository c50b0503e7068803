"""Uses of Gemini's own tools, gathered from the chunks of a stream: searches, pages, code, citations."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.native_calls import NativeCall, TextCitation, WebSource, key_of
from tarsy_llm.google.native import SUGGESTIONS

if TYPE_CHECKING:
    from google.genai import types

MOST_GATHERED = 200
"""The most of an answer; who records them takes less."""
STATUS = "URL_RETRIEVAL_STATUS_"
BILLED_BY_ANSWER = re.compile(r"gemini-[12]\b")
"""Google bills these by answers with a search, and later ones by queries."""


class GatheredNativeCalls:
    """`take_part` and `take_grounding` return what is new. Grounding comes beside the words, each time whole."""

    def __init__(self) -> None:
        self._calls: list[NativeCall] = []
        self._grounding: types.GroundingMetadata | None = None
        self._sources: list[WebSource | None] = []
        self._queries: dict[str, None] = {}
        self._pages: dict[str, str] = {}

    def take_part(self, part: "types.Part") -> NativeCall | None:
        """Output of code is added to the code before it."""
        call = _call_of_part(part)
        if call is None or len(self._calls) >= MOST_GATHERED:
            return None
        last = self._calls[-1] if self._calls else None
        if not call.code and call.tool == "code_execution" and last is not None and last.tool == call.tool:
            self._calls[-1] = _with_output(last, call)
            return self._calls[-1]
        if call.tool == "google_search" and not call.output:
            self._queries |= dict.fromkeys(call.queries)
            return call
        self._calls.append(call)
        return call

    def take_grounding(self, candidate: "types.Candidate") -> list[NativeCall]:
        found: list[NativeCall] = []
        grounding = candidate.grounding_metadata
        if grounding is not None:
            self._queries |= dict.fromkeys(grounding.web_search_queries or [])
            if grounding.grounding_chunks:
                self._sources = [_source_of(chunk) for chunk in grounding.grounding_chunks]
            if grounding.grounding_supports:
                self._grounding = grounding
            found += self._search()
        read = candidate.url_context_metadata
        for page in (read.url_metadata if read is not None else None) or []:
            status = page.url_retrieval_status
            self._pages[page.retrieved_url or ""] = "" if status is None else status.value.removeprefix(STATUS).lower()
        return [*found, *(self._read() if read is not None else ())]

    def count_searches(self, model: str) -> int | None:
        """How many are on the bill: each query, or one an answer of a Gemini of before 3. None where it has none."""
        if not self._queries:
            return None
        return 1 if BILLED_BY_ANSWER.search(model) else len(self._queries)

    def calls(self) -> tuple[NativeCall, ...]:
        return (*self._calls, *self._search(), *self._read())

    def citations(self, text: str) -> tuple[TextCitation, ...]:
        """Places are bytes of the text; a segment whose words are not there is looked for by its words."""
        data = text.encode()
        supports = (self._grounding.grounding_supports if self._grounding is not None else None) or []
        found = []
        for support in supports:
            segment, chunks = support.segment, support.grounding_chunk_indices or []
            named = [self._sources[at] for at in chunks if 0 <= at < len(self._sources)]
            keys = tuple(key_of(source) for source in named if source is not None)
            at = None if segment is None else _end_of(text, data, segment)
            if at is not None and keys:
                found.append(TextCitation(at=at, sources=keys))
        return tuple(found)

    def _search(self) -> Iterator[NativeCall]:
        sources = tuple(source for source in self._sources if source is not None)
        if self._queries or sources:
            yield NativeCall(tool="google_search", queries=tuple(self._queries), sources=sources)

    def _read(self) -> Iterator[NativeCall]:
        if self._pages:
            problems = sorted({status for status in self._pages.values() if status != "success"})
            read = tuple(WebSource(url=url) for url, status in self._pages.items() if status == "success")
            yield NativeCall(tool="url_context", queries=tuple(self._pages), sources=read, outcome=", ".join(problems))


def _call_of_part(part: "types.Part") -> NativeCall | None:
    if part.executable_code is not None:
        language = part.executable_code.language
        code = part.executable_code.code or ""
        return NativeCall(tool="code_execution", code=code, language="" if language is None else language.value)
    if part.code_execution_result is not None:
        result = part.code_execution_result
        outcome = "" if result.outcome is None else result.outcome.value.removeprefix("OUTCOME_").lower()
        return NativeCall(tool="code_execution", output=result.output or "", outcome=outcome)
    if part.inline_data is not None:
        return NativeCall(
            tool="code_execution", output=f"[made a file, {part.inline_data.mime_type}, that is not kept]"
        )
    if part.tool_call is not None:
        return NativeCall(tool=_tool_of(part.tool_call.tool_type), queries=tuple(_texts(part.tool_call.args or {})))
    if part.tool_response is not None:
        response = {key: value for key, value in (part.tool_response.response or {}).items() if key != SUGGESTIONS}
        output = json.dumps(response, ensure_ascii=False) if response else ""
        return NativeCall(tool=_tool_of(part.tool_response.tool_type), output=output) if output else None
    return None


def _tool_of(kind: "types.ToolType | None") -> NativeTool:
    name = "a tool of its own" if kind is None else kind.value.lower()
    return "google_search" if name.startswith("google_search") else name


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _with_output(code: NativeCall, output: NativeCall) -> NativeCall:
    texts = "\n".join(text for text in (code.output, output.output) if text)
    return code.model_copy(update={"output": texts, "outcome": output.outcome or code.outcome})


def _source_of(chunk: "types.GroundingChunk") -> WebSource | None:
    web = chunk.web
    return None if web is None else WebSource(url=web.uri or "", title=web.title or "")


def _end_of(text: str, data: bytes, segment: "types.Segment") -> int | None:
    words, end = segment.text or "", segment.end_index or 0
    before = data[:end].decode(errors="ignore")
    if 0 < end <= len(data) and before.endswith(words):
        return len(before)
    found = text.find(words) if words else -1
    return found + len(words) if found >= 0 else None
