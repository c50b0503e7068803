"""Labels that an executive summary gives its session: its last lines, taken off the text. Pure.

Models write them sloppily: in bold, in brackets, as a list, in a code block. Others than those of the list are dropped.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from tarsy_contracts.chain import LabelRule
from tarsy_session.text import to_one_line

TRAILER = re.compile(r"^[\W_]*labels?[\W_]*?[:=]([^\n]*(?:\n(?!\s*\n)[^\n]*)*)[\s`]*\Z", re.IGNORECASE | re.MULTILINE)
"""From the last line that begins with the word on, as long as no blank line follows."""
LAST = 1_000
"""Characters in which it is looked for."""
SEPARATORS = re.compile(r"[,;|\n]")
AND = re.compile(r"\band\b", re.IGNORECASE)
AROUND = " \t*_`'\"[](){}<>#.:-+\u2022"
MOST_NAMED = 5
NAME_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class LabelledSummary:
    """`error`: which of the named labels do not count, or that there is none; empty where all is well."""

    text: str
    labels: tuple[str, ...] = ()
    error: str = ""


def part_labels(summary: str, rule: LabelRule | None) -> LabelledSummary:
    """Without a rule the text stays as it is."""
    if rule is None or not summary.strip():
        return LabelledSummary(summary)
    head, tail = summary[:-LAST], summary[-LAST:]
    found = next((one for one in reversed(list(_candidates(tail)))), None)
    if found is None:
        return LabelledSummary(summary, error="The executive summary named no label.")
    text = _without_fence(head + tail[: found.start()]) or summary
    known = {one.label.casefold(): one.label for one in rule.labels}
    named = list(_names(found[1], known))
    labels = tuple(dict.fromkeys(known[name.casefold()] for name in named if name.casefold() in known))
    unknown = [name for name in named if name.casefold() not in known]
    dropped = (*unknown, *(() if rule.multi else labels[1:]))
    return LabelledSummary(text, labels if rule.multi else labels[:1], _describe(labels, dropped))


def _names(text: str, known: Container[str]) -> Iterator[str]:
    """A label may have the word that a model puts between two."""
    for part in SEPARATORS.split(text):
        whole = part.strip(AROUND)
        names = [whole] if whole.casefold() in known else [name.strip(AROUND) for name in AND.split(whole)]
        yield from (name for name in names if name)


def _candidates(text: str) -> list[re.Match[str]]:
    """A line that begins with the word, and all behind it."""
    starts = [found.start() for found in re.finditer(r"^", text, re.MULTILINE)]
    return [found for start in starts if (found := TRAILER.match(text, start)) is not None]


def _without_fence(text: str) -> str:
    """Takes off the line that opened a block of code around the labels, or ruled them off."""
    return re.sub(r"\s*(?:`{3,}\w*|-{3,}|\*{3,})?\s*\Z", "", text)


def _describe(labels: tuple[str, ...], dropped: tuple[str, ...]) -> str:
    if not dropped:
        return "" if labels else "The executive summary named no label."
    shown = ", ".join(to_one_line(name, NAME_CHARACTERS) for name in dropped[:MOST_NAMED])
    more = "" if len(dropped) <= MOST_NAMED else f" and {len(dropped) - MOST_NAMED} more"
    return f"The executive summary named labels that do not count: {shown}{more}."
