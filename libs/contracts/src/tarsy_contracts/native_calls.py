"""Uses of the provider's tools by a model: searches, pages that it read, code that it ran. Pure.

The provider runs these tools at its side, within one LLM call. So they are a part of its answer, and no tool calls.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.citations import cite_sources
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Count

MOST_CALLS = 7
"""The most of an answer: each has a line of the timeline. Further ones of a tool are joined to its last."""
MOST_QUERIES = 50
MOST_SOURCES = 100
MOST_CITATIONS = 500
"""Each of an answer."""
QUERY_CHARACTERS = 500
TITLE_CHARACTERS = 200
ADDRESS_CHARACTERS = 2_000
"""A longer address is left out: cut, it would lead elsewhere."""
CODE_CHARACTERS = 10_000
OUTPUT_CHARACTERS = 10_000
LEFT_OUT = "\n[the rest is left out]"
WEB_ADDRESS = re.compile(r"https?://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
LEADS: Mapping[str, str] = {
    "google_search": "Searched the web for: ",
    "url_context": "Read: ",
    "code_execution": "Ran code",
}


class WebSource(Value):
    """A page that a model was shown. Texts of the session cite it by its `number` (`[source 2]`); 0 where none can.

    Title and address are text from outside. The address is one of the web, or empty.
    """

    url: str
    title: str = ""
    number: Count = 0


class NativeCall(Value):
    """One use of a tool of the provider. `queries`: searches, or addresses that it was to read. `sources`: what came.

    `code` and `output`: of code execution. `outcome`: in the words of the provider, empty where it said none.
    `sources_left_out`: so many more pages than an answer may have.
    """

    tool: NativeTool
    queries: tuple[str, ...] = ()
    sources: tuple[WebSource, ...] = ()
    code: str = ""
    language: str = ""
    output: str = ""
    outcome: str = ""
    sources_left_out: Count = 0


class TextCitation(Value):
    """The text before `at` (in characters) rests on these pages: by their addresses, or titles where they have none."""

    at: Count
    sources: tuple[str, ...]


def key_of(source: WebSource) -> str:
    """Two pages with the same key are one source of the session."""
    return source.url or source.title


def describe_native_call(call: NativeCall) -> str:
    """Returns what people and other agents read of it."""
    return "\n".join(_description(call))


def _description(call: NativeCall) -> Iterator[str]:
    lead = LEADS.get(call.tool, f"{call.tool}: ")
    if call.queries:
        yield f"{lead}{', '.join(call.queries)}"
    elif call.code:
        yield f"{LEADS['code_execution']}{f' ({call.language})' if call.language else ''}:\n{call.code}"
    if call.output or (call.code and call.outcome):
        yield f"Output{f' ({call.outcome})' if call.outcome else ''}:\n{call.output}"
    elif call.outcome:
        yield f"Outcome: {call.outcome}"
    yield from map(describe_source, call.sources)
    if call.sources_left_out:
        yield f"{call.sources_left_out} more sources were left out."


def describe_source(source: WebSource) -> str:
    named = f"{cite_sources([source.number])} " if source.number else "- "
    return f"{named}{': '.join(part for part in (source.title, source.url) if part)}"


def bound_native_calls(calls: Iterable[NativeCall]) -> tuple[NativeCall, ...]:
    """Returns calls that have room on record, whatever a provider has sent."""
    joined: list[NativeCall] = []
    for call in calls:
        same = [at for at, one in enumerate(joined) if one.tool == call.tool]
        if len(joined) < MOST_CALLS:
            joined.append(_bound(call))
        elif same:
            joined[same[-1]] = _bound(_join(joined[same[-1]], call))
    return _bound_sources(joined)


def _join(one: NativeCall, other: NativeCall) -> NativeCall:
    return one.model_copy(
        update={
            "queries": tuple(dict.fromkeys((*one.queries, *other.queries))),
            "sources": (*one.sources, *other.sources),
            "code": "\n\n".join(text for text in (one.code, other.code) if text),
            "output": "\n\n".join(text for text in (one.output, other.output) if text),
            "outcome": other.outcome or one.outcome,
            "sources_left_out": one.sources_left_out + other.sources_left_out,
        }
    )


def _bound(call: NativeCall) -> NativeCall:
    return call.model_copy(
        update={
            "queries": tuple(_to_line(query, QUERY_CHARACTERS) for query in call.queries[:MOST_QUERIES]),
            "code": _cut(call.code, CODE_CHARACTERS),
            "language": _to_line(call.language, TITLE_CHARACTERS).lower(),
            "output": _cut(call.output, OUTPUT_CHARACTERS),
            "outcome": _to_line(call.outcome, TITLE_CHARACTERS).lower(),
        }
    )


def _bound_sources(calls: Sequence[NativeCall]) -> tuple[NativeCall, ...]:
    """Each page of a call once, and not too many in the whole answer."""
    left, bounded = MOST_SOURCES, []
    for call in calls:
        found = {key_of(source): source for one in reversed(call.sources) if key_of(source := _bound_source(one))}
        pages = tuple(reversed(found.values()))
        kept = pages[:left]
        left -= len(kept)
        left_out = call.sources_left_out + len(pages) - len(kept)
        bounded.append(call.model_copy(update={"sources": kept, "sources_left_out": left_out}))
    return tuple(bounded)


def _bound_source(source: WebSource) -> WebSource:
    url = source.url.strip()
    if len(url) > ADDRESS_CHARACTERS or WEB_ADDRESS.fullmatch(url) is None:
        url = ""
    return WebSource(url=url, title=_to_line(source.title, TITLE_CHARACTERS))


def _to_line(text: str, most: int) -> str:
    """Nothing in it moves, hides or reverses what stands around it."""
    line = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}{LEFT_OUT}"
