"""Findings of the masker, for people and for machines, without the secrets themselves."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tarsy_cli.console.units import format_count
from tarsy_local.terminal_text import one_line

if TYPE_CHECKING:
    from tarsy_masking.findings import Finding


@dataclass(frozen=True, slots=True)
class Listing:
    file: str
    findings: Sequence["Finding"]


def lines_of(listing: Listing) -> Iterator[str]:
    for found in listing.findings:
        yield f"{listing.file}:{found.line}:{found.column} {found.rule} -> {one_line(found.placeholder)}"


def summary_of(listings: Sequence[Listing]) -> Iterator[str]:
    """Each rule that found something, the one that found most first."""
    rules = _count_rules(listings)
    if not rules:
        yield "Nothing would be masked."
        return
    yield ""
    width = len(f"{max(rules.values()):,}")
    for rule, number in sorted(rules.items(), key=lambda item: (-item[1], item[0])):
        yield f"{number:{width},} {rule}"
    yield f"{format_count(rules.total(), 'finding')} in {format_count(len(listings), 'file')}."


def tree_of(listings: Sequence[Listing]) -> dict[str, JsonValue]:
    rules = _count_rules(listings)
    return {
        "findings": rules.total(),
        "rules": dict(sorted(rules.items())),
        "files": [
            {"file": listing.file, "findings": [_finding_to_json(found) for found in listing.findings]}
            for listing in listings
        ],
    }


def _finding_to_json(found: "Finding") -> JsonValue:
    return {
        "rule": found.rule,
        "line": found.line,
        "column": found.column,
        "length": found.length,
        "placeholder": found.placeholder,
    }


def _count_rules(listings: Iterable[Listing]) -> Counter[str]:
    return Counter(found.rule for listing in listings for found in listing.findings)
