"""Web search of OpenAI's search models in chat completions, and the citations of all servers that send such.

Only these models search here: the others do so in another API (Responses), which this adapter does not speak.
"""

import json
import re
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.native_calls import NativeCall, TextCitation, WebSource
from tarsy_llm.http.lenient_model import LenientModel, read_lenient
from tarsy_llm.native_tools import WEB_SEARCH
from tarsy_llm.protocol import LlmRequest

SEARCH_MODEL = re.compile(r"-search(?:-|$)")
MOST_GATHERED = 1_000


class UrlCitation(LenientModel):
    url: str = ""
    title: str = ""
    end_index: int | None = None


def native_tools_of(model: str) -> tuple[NativeTool, ...]:
    return WEB_SEARCH if SEARCH_MODEL.search(model) else ()


def search_options(request: LlmRequest) -> dict[str, JsonValue]:
    return {"web_search_options": {}} if "google_search" in request.native_tools else {}


class GatheredCitations:
    """Citations from the `annotations` of a message. Servers differ, so that nothing in them has to be there."""

    def __init__(self) -> None:
        self._found: list[UrlCitation] = []

    def take(self, annotations: JsonValue) -> None:
        for one in annotations if isinstance(annotations, list) else ():
            if isinstance(one, dict) and one.get("type") == "url_citation" and len(self._found) < MOST_GATHERED:
                inner = one.get("url_citation")
                self._found.append(read_lenient(UrlCitation, json.dumps(inner if isinstance(inner, dict) else one)))

    def calls(self) -> tuple[NativeCall, ...]:
        """One search: nobody says what was searched for."""
        sources = tuple(WebSource(url=one.url, title=one.title) for one in self._found if one.url)
        return (NativeCall(tool="google_search", sources=sources),) if sources else ()

    def citations(self, text: str) -> tuple[TextCitation, ...]:
        return tuple(_citations(self._found, len(text)))


def _citations(found: Iterable[UrlCitation], length: int) -> Iterator[TextCitation]:
    """One without a place is a source, and cited nowhere."""
    for one in found:
        if one.url and one.end_index is not None and 0 < one.end_index <= length:
            yield TextCitation(at=one.end_index, sources=(one.url,))
