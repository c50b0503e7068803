"""Sources of a session: the web pages that its models found, each with a number by which texts cite it. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.citations import cite_sources, list_cited_sources
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.native_calls import NativeCall, TextCitation, WebSource, key_of
from tarsy_session.state import AtRest, Investigating

MOST_NUMBERED = 1_000
"""Sources of a session that can be cited. Later ones are shown, without a number."""


def number_report(state: Investigating, reported: i.LlmCallReported) -> i.LlmCallReported:
    """Gives each page its number, and marks the text where it rests on pages. A page keeps its number."""
    if not reported.native_calls and not reported.citations:
        return reported
    numbers = _number(state.sources, reported.native_calls)
    return reported.model_copy(
        update={
            "native_calls": with_numbers(reported.native_calls, numbers),
            "text": mark_citations(reported.text, reported.citations, numbers),
        }
    )


def number_calls(state: Investigating, calls: Sequence[NativeCall]) -> tuple[NativeCall, ...]:
    return with_numbers(calls, _number(state.sources, calls))


def with_known_numbers(state: Investigating, calls: Sequence[NativeCall]) -> tuple[NativeCall, ...]:
    """For several answers that end in one decision: two of them could take the same number for different pages."""
    return with_numbers(calls, {key_of(source): source.number for source in state.sources})


def with_numbers(calls: Sequence[NativeCall], numbers: Mapping[str, int]) -> tuple[NativeCall, ...]:
    return tuple(call.model_copy(update={"sources": tuple(_numbered(call.sources, numbers))}) for call in calls)


def _numbered(sources: Iterable[WebSource], numbers: Mapping[str, int]) -> Iterator[WebSource]:
    return (source.model_copy(update={"number": numbers.get(key_of(source), 0)}) for source in sources)


def _number(known: Sequence[WebSource], calls: Sequence[NativeCall]) -> Mapping[str, int]:
    numbers = {key_of(source): source.number for source in known}
    for source in (source for call in calls for source in call.sources):
        if key_of(source) not in numbers and len(numbers) < MOST_NUMBERED:
            numbers[key_of(source)] = len(numbers) + 1
    return numbers


def mark_citations(text: str, citations: Sequence[TextCitation], numbers: Mapping[str, int]) -> str:
    """A citation of what is no source of the session leaves no mark."""
    cited: dict[int, set[int]] = defaultdict(set)
    for citation in citations:
        cited[_end_of_words(text, citation.at)].update(numbers[key] for key in citation.sources if key in numbers)
    pieces, end = [], 0
    for at, found in sorted(cited.items()):
        if found:
            pieces += [text[end:at], f" {cite_sources(sorted(found))}"]
            end = at
    return "".join((*pieces, text[end:]))


def _end_of_words(text: str, at: int) -> int:
    """Providers count differently: a mark stands behind a word, and before the blanks that follow it."""
    at = min(at, len(text))
    while 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum():
        at += 1
    while at > 0 and text[at - 1].isspace():
        at -= 1
    return at


def add_sources(state: Investigating, calls: Sequence[NativeCall]) -> Investigating:
    """Keeps the pages that have a new number."""
    sources = list(state.sources)
    for source in (source for call in calls for source in call.sources):
        if source.number == len(sources) + 1:
            sources.append(source)
    return state if len(sources) == len(state.sources) else replace(state, sources=tuple(sources))


def select_cited(state: Investigating | AtRest, *texts: str) -> tuple[WebSource, ...]:
    """Returns the sources that these texts cite, in the order of their numbers."""
    numbers = {number for text in texts for number in list_cited_sources(text)}
    return tuple(source for source in state.sources if source.number in numbers)


def sources_of(answer: e.LlmCallCompleted | e.LlmCallFailed) -> list[WebSource]:
    return [source for call in answer.native_calls for source in call.sources]
