"""Custom patterns of a configuration: Go's syntax, in the regex (which is RE2's) and in the replacement."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import refuse_empty
from tarsy_masking.rules import CustomPattern, PatternProblem

_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))")
_BEGIN = b"[MASKED_"
_PLACEHOLDER = re.compile(rb"\[MASKED_[A-Z0-9_]+(?:[0-9a-f]{8})?\]")
_LONGEST = 100
_DIGITS = re.compile(rb"(\[MASKED_[A-Z0-9_]+?)_[0-9a-f]{8}\]")


@dataclass(frozen=True, slots=True)
class CustomRule:
    name: str
    regex: Any
    template: tuple[bytes | int, ...]

    def find(self, text: bytes) -> list[Edit]:
        return list(self._find_edits(text))

    def _find_edits(self, text: bytes) -> Iterator[Edit]:
        end = 0
        while (match := self.regex.search(text, end)) is not None:
            start, stop = _with_whole_placeholders(text, *match.span())
            end = max(stop, match.start() + 1)
            label = self.label(match)
            if start == stop or _DIGITS.sub(rb"\1]", text[start:stop]) == _DIGITS.sub(rb"\1]", label):
                continue
            yield Edit(start, stop, label, self._secret_of_match(match), self.name)

    def label(self, match: Any) -> bytes:
        return b"".join(part if isinstance(part, bytes) else match.group(part) or b"" for part in self.template)

    def _secret_of_match(self, match: Any) -> bytes:
        """The part that the replacement does not keep: one value has the same digits, whatever stands before it."""
        start, stop = match.span()
        pieces: list[bytes] = []
        kept = sorted(match.span(part) for part in self.template if isinstance(part, int))
        for first, last in kept:
            if first >= start:
                pieces.append(match.string[start:first])
                start = last
        return b"".join((*pieces, match.string[start:stop])) or match.group()


def _with_whole_placeholders(text: bytes, start: int, stop: int) -> tuple[int, int]:
    """A placeholder goes with what it stands in, or stays: a part of one tells nobody anything."""
    first, last = _find_placeholder_at(text, start), _find_placeholder_at(text, stop)
    if (first and stop <= first[1]) or (last and start >= last[0]):
        return stop, stop
    return first[0] if first else start, last[1] if last else stop


def _find_placeholder_at(text: bytes, position: int) -> tuple[int, int] | None:
    """The one that begins before the position and ends after it."""
    begin = text.rfind(_BEGIN, max(0, position - _LONGEST), position + len(_BEGIN) - 1)
    match = _PLACEHOLDER.match(text, begin) if 0 <= begin < position else None
    return match.span() if match and match.end() > position else None


def compile_custom(patterns: Sequence[CustomPattern]) -> tuple[list[CustomRule], list[PatternProblem]]:
    rules: list[CustomRule] = []
    mistakes: list[PatternProblem] = []
    for number, pattern in enumerate(patterns, 1):
        try:
            rules.append(_compile_rule(f"custom_{number}", pattern))
        except ValueError as error:
            mistakes.append(PatternProblem(pattern.pattern, str(error)))
    return rules, mistakes


def _compile_rule(name: str, pattern: CustomPattern) -> CustomRule:
    options = re2.Options()
    options.log_errors = False
    try:
        regex = re2.compile(pattern.pattern.encode(), options)
    except re2.error as error:
        detail = error.args[0] if error.args else ""
        raise ValueError(detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)) from None
    refuse_empty(regex)
    rule = CustomRule(name, regex, tuple(_parse_template(pattern.replacement, regex)))
    _refuse_endless(rule)
    return rule


def _parse_template(replacement: str, regex: Any) -> Iterator[bytes | int]:
    names = {name.decode(): index for name, index in regex.groupindex.items()}
    end = 0
    for variable in _VARIABLE.finditer(replacement):
        yield replacement[end : variable.start()].encode()
        end = variable.end()
        yield b"$" if variable[1] else _group_index(variable[2] or variable[3], names, regex.groups)
    yield replacement[end:].encode()


def _group_index(name: str, names: dict[str, int], groups: int) -> int:
    if name in names:
        return names[name]
    if name.isascii() and name.isdigit() and int(name[:9]) <= groups:
        return int(name)
    raise ValueError(f"the replacement names a group that the pattern has not: {name}")


def _refuse_endless(rule: CustomRule) -> None:
    """A replacement that its own pattern would replace again, by something else, never comes to rest."""
    text = b"".join(part for part in rule.template if isinstance(part, bytes))
    for edit in rule.find(text):
        if len(edit.label) > edit.stop - edit.start:
            raise ValueError("the pattern finds its own replacement again, and would make it longer each time")
