"""The fields of a sender's JSON that say what an alert is about, whichever names it has for them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import JsonValue

from tarsy_ingest.known_fields import OVER, OVER_EVENTS, STRIPPED_TITLE, FieldTable
from tarsy_ingest.raw_alert import AlertRejectedError, parse_json, utc_time

STATE_PREFIX = re.compile(r"\s*\[(?P<state>[A-Za-z -]{1,40})(?:[: ][^\]]*)?\]\s*(?P<rest>.*)", re.DOTALL)
WORDS = re.compile(r"[^a-z0-9]+")
LATEST_SECONDS = 1e11
"""Larger numbers are milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class JsonFields:
    """One object of a sender, looked into by `table`."""

    value: JsonValue
    table: FieldTable

    @property
    def title(self) -> str:
        return self.text(self.table.titles)

    @property
    def identity(self) -> str:
        for pointers in self.table.identities:
            parts = [self._text_at(pointer) for pointer in pointers]
            if all(parts):
                named = [*zip(pointers, parts, strict=True)]
                return json.dumps([self.table.door, *named] if self.table.door else named)
        return ""

    @property
    def is_over(self) -> bool:
        named = (WORDS.split(_word_of_value(self._value_at(pointer)))[-1] for pointer in self.table.events)
        return (
            self._has_any_word(self.table.over)
            or self._state_in_title.lower() in OVER
            or not OVER_EVENTS.isdisjoint(named)
        )

    @property
    def is_no_news(self) -> bool:
        return self._has_any_word(self.table.no_news)

    def text(self, pointers: Iterable[str]) -> str:
        """The first text or number at these pointers; empty without one."""
        return next((text for pointer in pointers if (text := _text_of_value(self._value_at(pointer)))), "")

    def time(self, pointers: Iterable[str]) -> datetime | None:
        """With its zone, or in seconds or milliseconds since 1970."""
        text = self.text(pointers)
        try:
            number = float(text)
        except ValueError:
            return utc_time(text)
        try:
            at = datetime.fromtimestamp(number / 1000 if number > LATEST_SECONDS else number, UTC)
        except (ValueError, OverflowError, OSError):
            return None
        return utc_time(at.isoformat())

    @property
    def _state_in_title(self) -> str:
        found = STATE_PREFIX.fullmatch(self.title)
        return found["state"].strip() if found else ""

    def _has_any_word(self, words: Mapping[str, frozenset[str]]) -> bool:
        return any(_word_of_value(self._value_at(pointer)) in meant for pointer, meant in words.items())

    def _text_at(self, pointer: str) -> str:
        if pointer == STRIPPED_TITLE:
            found = STATE_PREFIX.fullmatch(self.title)
            return found["rest"] if found else self.title
        value = self._value_at(pointer)
        return json.dumps(value, sort_keys=True) if isinstance(value, dict) and value else _text_of_value(value)

    def _value_at(self, pointer: str) -> JsonValue:
        value = self.value
        for part in pointer.split("/")[1:]:
            value = _value_inside(value, part.replace("~1", "/").replace("~0", "~"))
        return value


def fields_of(value: JsonValue, table: FieldTable) -> JsonFields:
    """A message of SNS has its alert in a text."""
    match value:
        case {"Type": "Notification", "Message": str(message), "TopicArn": str()}:
            try:
                return JsonFields(parse_json(message), table)
            except AlertRejectedError:
                return JsonFields({"text": message}, table)
        case _:
            return JsonFields(value, table)


def _value_inside(value: JsonValue, part: str) -> JsonValue:
    match value:
        case dict():
            return value.get(part)
        case list() if part.isdecimal() and int(part) < len(value):
            return value[int(part)]
        case _:
            return None


def _text_of_value(value: JsonValue) -> str:
    match value:
        case str():
            return value.strip()
        case bool():
            return ""
        case int() | float():
            return str(value)
        case _:
            return ""


def _word_of_value(value: JsonValue) -> str:
    return str(value).lower() if isinstance(value, bool) else _text_of_value(value).lower()
