"""Parsing of one action of an answer: which tool, with what. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_contracts.near_json import object_at
from tarsy_session.controllers.react.arguments import parse_arguments
from tarsy_session.controllers.react.inputs import input_end, paragraph_end, without_last_fence
from tarsy_session.controllers.react.pairs import find_marks
from tarsy_session.controllers.react.sections import AnswerSection
from tarsy_session.tools.offered_names import LONGEST, MARKS, Names, clean

BEFORE_NAME = re.compile(
    r"(?:\s++|`{3,}+[ \t]*+(?:(?:json|yaml|text|txt|plaintext|bash|python|tool|tool_code)(?=\s|\Z))?)*+"
)
CALL = re.compile(r"[*`'\"]{0,4}(?P<name>[\w./:\-]{1,200})[`*]{0,3}(?P<open>[(\[])")
INPUT_BELOW = re.compile(r"\s*+(?=\{|`{3,}\w*\s*\{)")
MOST_WORDS = 3
"""More of them are a sentence, and no name that somebody mistook for a tool's."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """`given`: an input stood there. `end`: where it ends. `behind`: what was said after an action that is none."""

    name: str
    known: bool
    arguments: Mapping[str, JsonValue]
    given: bool
    end: int
    behind: str = ""

    @property
    def is_none(self) -> bool:
        return not self.known and _means_nothing(self.name)

    @property
    def is_sentence(self) -> bool:
        return not self.known and len(self.name.split()) > MOST_WORDS


@dataclass(frozen=True, slots=True)
class WrittenAction:
    """An action as it stands there: its name, and an input that belongs to it without a header of its own."""

    name: str
    end: int
    input: str | None = None


def parse_action(text: str, action: AnswerSection, below: AnswerSection | None, names: Names) -> Attempt:
    """`below`: the section Action Input that follows."""
    written = _find_written_action(text, action)
    given, end = written.input, written.end
    if below is not None:
        own_end = _find_input_end(text, below.begin, below.end)
        own = text[below.begin : own_end]
        given, end = (own if own.strip() or given is None else given), own_end
    tool = names.find_leading(written.name) or (names.find_in_sentence(written.name) if given is not None else None)
    behind = given if given is not None else text[written.end : action.end]
    return Attempt(
        name=tool or clean(written.name),
        known=tool is not None,
        arguments=_read_arguments(given or ""),
        given=given is not None,
        end=end,
        behind=_words_of(behind),
    )


def _find_written_action(text: str, action: AnswerSection) -> WrittenAction:
    before = BEFORE_NAME.match(text, action.begin, action.end)
    start = before.end() if before else action.begin
    line_end = _find_line_end(text, start, action.end)
    call = CALL.match(text, start, action.end)
    closing = _find_closing(text[: action.end], call.start("open")) if call else None
    if call and closing:
        return WrittenAction(call["name"], closing, text[call.end() : closing - 1])
    brace = text.find("{", start, line_end)
    if brace >= 0:
        end = _find_input_end(text, brace, action.end)
        return WrittenAction(text[start:brace], end, text[brace:end])
    opening = INPUT_BELOW.match(text, line_end, action.end)
    if opening:
        end = _find_input_end(text, opening.end(), action.end)
        return WrittenAction(text[start:line_end], end, text[opening.end() : end])
    return WrittenAction(text[start:line_end], line_end)


def _find_line_end(text: str, start: int, end: int) -> int:
    found = text.find("\n", start, end)
    return end if found < 0 else found


def _find_closing(text: str, start: int) -> int | None:
    return next((position + 1 for position, _, depth in find_marks(text, start) if depth == 0), None)


def _find_input_end(text: str, begin: int, end: int) -> int:
    found = input_end(text, begin)
    return found if found is not None and found <= end else paragraph_end(text, begin, end)


def _read_arguments(given: str) -> dict[str, JsonValue]:
    """The end of a fence around the whole answer is not part of its last input."""
    bare = given if given.lstrip().startswith("`") else without_last_fence(given)
    return {} if _means_nothing(bare) else parse_arguments(bare)


def _words_of(text: str) -> str:
    """The words behind an action that is none. A JSON object with one text stands for that text."""
    bare = without_last_fence(text).strip()
    found = object_at(bare, 0)
    if found is not None:
        values = [value for value in found[0].values() if isinstance(value, str)]
        bare = values[0].strip() if len(values) == len(found[0]) == 1 else ""
    return "" if _means_nothing(bare) else bare


REASON = re.compile(r"[(,.;:–—]|\s-\s|\s(?:as|because|since)\s")
NOTHING = re.compile(
    r"(?:none|no(?:ne| (?:further |more )?(?:actions?|tools?))?(?: (?:is )?(?:needed|required|necessary))?"
    r"|n/?a|nil|null|nothing|not (?:applicable|needed|required)|finish(?:ed)?|done|final[ _-]?answer|conclude|[-–—]+)",
    re.IGNORECASE,
)


def _means_nothing(written: str) -> bool:
    """Whether the model wants no tool, also with a reason behind it."""
    return NOTHING.fullmatch(clean(REASON.split(written[:LONGEST].strip(MARKS), maxsplit=1)[0])) is not None
