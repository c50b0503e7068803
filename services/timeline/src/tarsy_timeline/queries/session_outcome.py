"""Outcome of a session in one line: the first sentence of what was found out, without Markdown. Pure."""

import re
from collections.abc import Iterator

from tarsy_contracts.citations import without_citations
from tarsy_contracts.timeline.model import ENDED
from tarsy_timeline.rows.session_rows import Row

MOST_CHARACTERS = 200
LOOKED_AT = 4_000
"""Characters of a text in which its first sentence is looked for."""
LONGEST_PARAGRAPH = 600
LONGEST_TITLE = 100

FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[\s#]*$")
RULE_OR_TABLE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*\|")
QUOTE = re.compile(r"^(?:\s*>)+\s?")
ITEM = re.compile(r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)")
LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
CODE = re.compile(r"(`+)(.{1,200}?)\1")
STRONG = re.compile(r"(?<!\\)(\*\*|__|~~)(?=\S)(.{1,200}?)(?<=\S)\1")
EMPHASIS = re.compile(r"(?<![\w\\])([*_])(?=\S)(.{1,200}?)(?<=\S)\1(?!\w)")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
SENTENCE_END = re.compile(r"[.!?]+[)\"'\u201d\u2019]*(?=\s)|[\u3002\uff01\uff1f]")
NO_END = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|incl|max|min|[A-Za-z]|\d{1,3})\.$", re.IGNORECASE)


def outcome_of(session: Row) -> str | None:
    """None while there is none."""
    text: str | None = session["executive_summary"] or session["final_analysis"]
    return None if text is None or session["status"] not in ENDED else first_sentence(text)


def first_sentence(markdown: str) -> str | None:
    """Sentence of the first paragraph, or of the first heading where there is no other text; cut at a word."""
    beginning = without_citations(markdown[:LOOKED_AT])
    paragraph = next(_split_paragraphs(beginning), None) or _find_first_heading(beginning)
    if paragraph is None:
        return None
    plain = " ".join(_without_marks(paragraph[:LONGEST_PARAGRAPH]).split())
    return _shorten_sentence(_first_sentence_of(plain)) or None


def _split_paragraphs(markdown: str) -> Iterator[str]:
    """Paragraphs and items of lists that are no titles."""
    text = ""
    for quoted in [*_lines_outside_of_code(markdown.splitlines()), ""]:
        line = QUOTE.sub("", quoted, count=1)
        plain = ITEM.sub("", line, count=1)
        if plain != line or not _is_text(line):
            if text and not _is_title(text):
                yield text
            text = ""
        text += f" {plain}" if _is_text(line) else ""


def _lines_outside_of_code(lines: list[str]) -> Iterator[str]:
    fenced = False
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield line


def _is_text(line: str) -> bool:
    return bool(line.strip()) and not HEADING.match(line) and not RULE_OR_TABLE.match(line)


def _is_title(text: str) -> bool:
    """`**Root cause**`, `Summary:`"""
    if len(text) > LONGEST_TITLE:
        return False
    plain = _without_marks(text).strip()
    bold = re.fullmatch(r"\s*(\*\*|__)[^*_]{1,80}\1:?\s*", text) is not None
    return not plain or (bold and plain[-1] not in ".!?") or (len(plain) <= 40 and plain.endswith(":"))


def _find_first_heading(markdown: str) -> str | None:
    found = (HEADING.match(line) for line in _lines_outside_of_code(markdown.splitlines()))
    return next((one.group(1) for one in found if one is not None), None)


def _without_marks(text: str) -> str:
    text = CODE.sub(r"\2", LINK.sub(r"\1", text))
    return ESCAPE.sub(r"\1", EMPHASIS.sub(r"\2", STRONG.sub(r"\2", text)))


def _first_sentence_of(text: str) -> str:
    ends = (one.end() for one in SENTENCE_END.finditer(text))
    return text[: next((end for end in ends if not NO_END.search(text[max(0, end - 12) : end])), len(text))]


def _shorten_sentence(sentence: str) -> str:
    if len(sentence) <= MOST_CHARACTERS:
        return sentence
    kept = sentence[: MOST_CHARACTERS - 1]
    return (kept.rpartition(" ")[0] or kept).rstrip(" ,;:") + "\u2026"
