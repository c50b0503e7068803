"""Sections of an answer: where each begins. Pure, in linear time.

A word with a colon is a header at the start of a line, after any marks and numbers. Elsewhere it is a header only if
the text around it leaves no doubt.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tarsy_session.controllers.react.inputs import input_end

type SectionKind = Literal["thought", "action", "input", "observation", "final"]

HEADER = re.compile(
    r"""
    (?: (?P<line>
            (?: ^ | (?<=</think>) ) (?:(?![\n"'({])[\W_]){0,16} (?:(?:step[ \t]*)?\d{1,3}(?:(?!\n)[\W_]){1,4})?
        ) | (?<=\s)[*_]{0,3} )
    (?P<word>final[ _-]?answer | action[ _-]?inputs? | action[ _-]?name | action | thought | observation
           | input | arguments | args | parameters) (?![^\W_])
    (?: [ \t]*\#?\d{1,3}(?!\w) )?
    [*_`\])]{0,3} [ \t]*+ (?P<colon>[:：] | =(?!=) | (?:[-–—=]?>|[-–—→])(?=\s|\Z))? (?: (?:\*{1,3}|_{2}) (?=\s|$) )?
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
KINDS: dict[str, SectionKind] = {
    "finalanswer": "final",
    "actioninput": "input",
    "actioninputs": "input",
    "actionname": "action",
    "action": "action",
    "thought": "thought",
    "observation": "observation",
}
"""All other words that HEADER knows are an input, but only right after an action."""
SENTENCE_END = frozenset((*".!?…:)]}`*\"'", ""))
INPUT_IN_LINE = re.compile(r"[^\n]{1,200}?\s[*_]{0,3}Action Inputs?[*_]{0,3}:")
REST = 300
LINE = re.compile(r"[^\n]+")
FENCE = re.compile(r"`{3,}+|~{3,}+")
MOST_ACTIONS = 12
"""Limit of headers that turn out to be none. More of them are not worth the time."""


@dataclass(frozen=True, slots=True)
class AnswerSection:
    """The header is at `start`; what it says, from `begin` to `end`."""

    kind: SectionKind
    start: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Header:
    kind: SectionKind
    start: int
    begin: int


def find_sections(text: str, begin: int, known: Callable[[str], bool]) -> list[AnswerSection]:
    """`known` says whether a line names a tool.

    Fences and lines behind `>` are quotations. Only where no action and no answer stands outside of them, a model means
    what it has put into a fence.
    """
    headers = list(_find_headers(text, begin, known, find_quotations(text, begin)))
    if not any(header.kind in ("action", "final") for header in headers):
        headers = list(_find_headers(text, begin, known, _find_quoted_lines(text, begin)))
    ends = [*(header.start for header in headers[1:]), len(text)]
    return [
        AnswerSection(header.kind, header.start, header.begin, end) for header, end in zip(headers, ends, strict=False)
    ]


def find_quotations(text: str, begin: int) -> list[tuple[int, int]]:
    """Returns fences, and lines behind `>`, in their order."""
    return sorted([*_find_fences(text, begin), *_find_quoted_lines(text, begin)])


def _find_fences(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """A fence opens anywhere in a line, and closes at the beginning of one. One that never closes goes to the end."""
    opened = -1
    for line in LINE.finditer(text, begin):
        marks = FENCE.findall(line.group())
        if opened < 0 and len(marks) % 2:
            opened = line.start() + line.group().rindex(marks[-1])
        elif opened >= 0 and FENCE.match(line.group().lstrip()):
            yield opened, line.end()
            opened = -1
    if opened >= 0:
        yield opened, len(text)


def _find_quoted_lines(text: str, begin: int) -> list[tuple[int, int]]:
    return [line.span() for line in LINE.finditer(text, begin) if line.group().lstrip().startswith(">")]


def _find_headers(
    text: str, begin: int, known: Callable[[str], bool], quoted: Sequence[tuple[int, int]]
) -> Iterator[Header]:
    after: SectionKind | None = None
    position = begin
    actions = 0
    left = deque(quoted)
    while match := HEADER.search(text, position):
        position = match.end()
        while left and left[0][1] <= match.start("word"):
            left.popleft()
        if left and left[0][0] <= match.start("word"):
            continue
        kind = _kind_of_header(match, text, after, known)
        if kind is None:
            continue
        actions += kind == "action"
        if actions > MOST_ACTIONS:
            return
        yield Header(kind, match.start(), match.end())
        if kind == "final":
            return
        if kind == "input" and after == "action":
            position = input_end(text, match.end()) or position
        after = kind


def _kind_of_header(
    match: re.Match[str], text: str, after: SectionKind | None, known: Callable[[str], bool]
) -> SectionKind | None:
    word = match["word"]
    plain = re.sub(r"[ _-]", "", word.lower())
    rest = text[match.end() : match.end() + REST].split("\n", 1)[0].strip()
    at_line = match["line"] is not None
    if plain not in KINDS:
        return "input" if at_line and match["colon"] and after == "action" else None
    kind = KINDS[plain]
    if at_line and match["colon"] and (kind != "final" or match["colon"] in ":："):
        return kind
    if at_line:
        return kind if _is_header_without_colon(kind, word, rest, after, known) else None
    return kind if match["colon"] and _is_header_within_line(kind, match, text, after) else None


def _is_header_without_colon(
    kind: SectionKind, word: str, rest: str, after: SectionKind | None, known: Callable[[str], bool]
) -> bool:
    if not word[0].isupper():
        return False
    if not rest:
        return True
    match kind:
        case "action":
            return known(rest)
        case "input":
            return after == "action"
        case "observation":
            return after in ("action", "input") and not rest[0].islower()
        case "thought":
            return rest[0].isupper()
        case "final":
            return word.split()[-1][0].isupper() and not rest[0].islower()


def _is_header_within_line(kind: SectionKind, match: re.Match[str], text: str, after: SectionKind | None) -> bool:
    """An action only together with its input: thoughts quote what stands in alerts and logs."""
    if not all(part[0].isupper() for part in match["word"].split()):
        return False
    before = text[max(0, match.start() - 20) : match.start()].rstrip()[-1:]
    match kind:
        case "action":
            return INPUT_IN_LINE.match(text, match.end(), match.end() + REST) is not None
        case "input":
            return after == "action"
        case "final":
            return before in SENTENCE_END or after in ("action", "input", "observation")
        case _:
            return after in ("action", "input", "observation")
