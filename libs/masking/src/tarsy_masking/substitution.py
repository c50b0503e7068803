"""Applies patterns to text, and looks closely only where there is something to find."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tarsy_masking.patterns import PatternFile, compile_regex
from tarsy_masking.placeholders import Placeholder, plain

# Finds nearer to each other than this are masked together: a call of RE2 costs as much as some hundred bytes of text.
_NEAR = 512
# Stands for the sum of no patterns.
_NOTHING = r"[^\x00-\xff]"


@dataclass(frozen=True)
class _Rule:
    regex: Any
    replacement: bytes


class Substitution:
    """All patterns of a file. One regex that is the sum of them finds the lines on which any of them has work to do."""

    def __init__(self, source: PatternFile) -> None:
        in_lines = [pattern for pattern in source.patterns if pattern.span == "line"]
        self._any_in_line = compile_regex(
            "|".join(f"(?:{pattern.any_regex})" for pattern in in_lines) or _NOTHING, capture=False, one_line=True
        )
        self._line_rules = [
            _Rule(compile_regex(regex, one_line=True), replacement.encode())
            for pattern in in_lines
            for regex, replacement in pattern.regexes
        ]
        self._text_rules = [
            _Rule(compile_regex(regex), replacement.encode())
            for pattern in source.patterns
            if pattern.span == "text"
            for regex, replacement in pattern.regexes
        ]
        self._never_secret = compile_regex(source.never_secret)

    def apply(self, text: bytes, placeholder: Placeholder = plain) -> bytes:
        text = self._apply_rules(self._text_rules, text, placeholder)
        pieces: list[bytes] = []
        end = 0
        for start, stop in self._regions(text):
            pieces += (text[end:start], self._apply_rules(self._line_rules, text[start:stop], placeholder))
            end = stop
        return b"".join((*pieces, text[end:])) if pieces else text

    def _regions(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Whole lines around every find, near ones together."""
        region: tuple[int, int] | None = None
        for start, stop in self._lines_found(text):
            if region is not None and start - region[1] < _NEAR:
                region = (region[0], stop)
                continue
            if region is not None:
                yield region
            region = (start, stop)
        if region is not None:
            yield region

    def _lines_found(self, text: bytes) -> Iterator[tuple[int, int]]:
        position = 0
        while (found := self._any_in_line.search(text, position)) is not None:
            start = text.rfind(b"\n", position, found.start()) + 1 or position
            stop = text.find(b"\n", found.end())
            position = len(text) if stop < 0 else stop
            yield start, position

    def _apply_rules(self, rules: Sequence[_Rule], text: bytes, placeholder: Placeholder) -> bytes:
        for rule in rules:
            text = self._apply_rule(rule, text, placeholder)
        return text

    def _apply_rule(self, rule: _Rule, text: bytes, placeholder: Placeholder) -> bytes:
        pieces: list[bytes] = []
        end = 0
        for match in rule.regex.finditer(text):
            start, stop = _secret_span(match)
            secret = text[start:stop]
            if start == stop or self._never_secret.fullmatch(secret):
                continue
            pieces += (text[end:start], placeholder(rule.replacement, secret))
            end = stop
        return b"".join((*pieces, text[end:])) if pieces else text


def _secret_span(match: Any) -> tuple[int, int]:
    spans: list[tuple[int, int]] = [match.span(group) for group in range(1, match.re.groups + 1)]
    whole: tuple[int, int] = match.span()
    return next((span for span in spans if span != (-1, -1)), whole)
