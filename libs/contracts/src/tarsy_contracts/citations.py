"""Citations: the marks with which a text names what its claims come from, `[call 7]` and `[source 2]`. Pure.

A call is one of a tool, a source a page that a model found by itself (`tarsy_contracts.native_calls`).
"""

import re
from collections.abc import Iterable, Iterator

_NAMED = r"(?:call|source) \d{1,9}"
CITATION = re.compile(rf"\s?\[{_NAMED}(?:, {_NAMED})*+\]")
"""With the blank or line break before it. The page has the same pattern."""
_CALL = re.compile(r"call (\d+)")
_SOURCE = re.compile(r"source (\d+)")


def cite(number: int) -> str:
    """`number` is that of the call in its session (`tool_call.requested`)."""
    return f"[call {number}]"


def cite_sources(numbers: Iterable[int]) -> str:
    """The numbers are those of the sources in their session. Empty without any."""
    named = ", ".join(f"source {number}" for number in numbers)
    return f"[{named}]" if named else ""


def list_cited_calls(text: str) -> Iterator[int]:
    return (int(number) for found in CITATION.findall(text) for number in _CALL.findall(found))


def list_cited_sources(text: str) -> Iterator[int]:
    return (int(number) for found in CITATION.findall(text) for number in _SOURCE.findall(found))


def without_citations(text: str) -> str:
    """For places where nobody can follow them: a line in a list, a message in Slack."""
    return CITATION.sub("", text)
