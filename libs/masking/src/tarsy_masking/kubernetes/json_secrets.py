"""Kubernetes Secrets in JSON, also where JSON stands inside other text."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tarsy_masking.edits import Edit
from tarsy_masking.kubernetes.secret_objects import LABEL, RULE
from tarsy_masking.patterns import compile_regex

_MENTION = compile_regex(r'(\\*)"kind\\*"\s*:\s*\\*"Secret(?:List)?\\*"')
_DATA = compile_regex(r'(\\*)"(?:data|stringData)\\*"\s*:\s*(?:(\{)|\\*"((?:[^"\\]|\\+[^"])+))')
_BETWEEN = compile_regex(r"(?:[\s,]|\\+[nrt])+")
_REST = compile_regex(r'(?:[^{}"\\]|"(?:[^"\\]|\\.)*"?|\\+"?)+')
_NOTHING = re.compile(rb"null|\[MASKED_[A-Z0-9_]+(?:[0-9a-f]{8})?\]")
_DEEPEST_QUOTE = 15
# How often, and over how many times the text, one looks for the beginning of the object that a mention stands in.
_ATTEMPTS = 32
_EFFORT = 8


def json_secrets(text: bytes) -> list[Edit]:
    if b"Secret" not in text or _MENTION.search(text) is None:
        return []
    edits: list[Edit] = []
    for position, stop in _Surroundings(text).of_mentions():
        while (data := _DATA.search(text, position, stop)) is not None:
            found, position = _mask_values(text, data)
            edits += found
    return edits


class _Surroundings:
    """The object around each mention, or the string where one stands quoted. Where neither can be found (the text is
    cut off), everything: then the data of a ConfigMap goes too."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        # Each byte one character, so that places are the same in both.
        self._source = text.decode("latin-1")
        self._effort = _EFFORT * len(text)
        self._decoder = json.JSONDecoder()

    def of_mentions(self) -> list[tuple[int, int]]:
        ranges: list[tuple[int, int]] = []
        for mention in _MENTION.finditer(self._text):
            if ranges and mention.start() < ranges[-1][1]:
                continue
            around = self._find_object if mention.group(1) == b"" else self._find_string
            found = around(mention.start(), ranges[-1][1] if ranges else 0)
            if found is None:
                return [(0, len(self._text))]
            ranges.append(found)
        return ranges

    def _find_object(self, position: int, floor: int) -> tuple[int, int] | None:
        start = position
        for _ in range(_ATTEMPTS):
            start = self._source.rfind("{", floor, start)
            if start < 0 or self._effort < 0:
                break
            end = self._end_of_object(start)
            if end is not None and end > position:
                return start, end
        return None

    def _end_of_object(self, start: int) -> int | None:
        try:
            _, end = self._decoder.raw_decode(self._source, start)
        except json.JSONDecodeError as error:
            self._effort -= error.pos - start
        except (ValueError, RecursionError):
            self._effort -= len(self._source) - start
        else:
            self._effort -= end - start
            return end
        return None

    def _find_string(self, position: int, floor: int) -> tuple[int, int] | None:
        start = position
        while self._effort >= 0:
            before = start
            start = self._source.rfind('"', floor, start)
            self._effort -= before - max(start, 0) + 64
            if start < 0:
                break
            if start == 0 or self._source[start - 1] != "\\":
                end = _end_of_string(self._text, start)
                self._effort -= end - start
                return (start, end) if end > position else None
        return None


def _end_of_string(text: bytes, start: int) -> int:
    match = _STRING.match(text, start)
    return start if match is None else int(match.end())


_STRING = compile_regex(r'"(?:[^"\\\n]|\\[^\n])*"')


def _mask_values(text: bytes, data: Any) -> tuple[list[Edit], int]:
    """The values of a data object, and where it ends. Its keys stay, as far as they can be told."""
    quote = len(data.group(1))
    if data.start(2) < 0 or quote > _DEEPEST_QUOTE:
        start, end = data.span(3) if data.start(2) < 0 else (data.end(), _end_of_rest(text, data.end()))
        return [*_edit_unless_empty(text, start, end)], end
    entry = _entry_regex(quote)
    edits: list[Edit] = []
    end = data.end()
    while True:
        between = _BETWEEN.match(text, end)
        end = between.end() if between else end
        found = entry.match(text, end)
        if found is None:
            break
        edits += _edit_unless_empty(text, *next(found.span(group) for group in (1, 2) if found.start(group) >= 0))
        end = found.end()
    if text[end : end + 1] not in (b"}", b""):
        rest = _end_of_rest(text, end)
        edits += _edit_unless_empty(text, end, rest)
        end = rest
    return edits, end


def _end_of_rest(text: bytes, start: int) -> int:
    match = _REST.match(text, start)
    return start if match is None else int(match.end())


def _edit_unless_empty(text: bytes, start: int, stop: int) -> Iterator[Edit]:
    value = text[start:stop]
    if value != b"" and not _NOTHING.fullmatch(value):
        yield Edit(start, stop, LABEL, value, RULE)


@cache
def _entry_regex(backslashes: int) -> Any:
    """A key and its value, where quotes have that many backslashes before them; the last value may be cut off."""
    quote = rf'\\{{{backslashes}}}"' if backslashes else '"'
    escaped = r"\\." if backslashes == 0 else rf'\\+[^"\\]|\\{{{backslashes + 1},}}"'
    text = rf'(?:[^"\\]|{escaped})*'
    return compile_regex(rf'(?s){quote}{text}{quote}\s*:\s*(?:{quote}({text})(?:{quote}|\\*\z)|([^\s"\\,{{}}\[\]]+))')
