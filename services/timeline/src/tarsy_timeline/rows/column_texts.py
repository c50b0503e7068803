"""Texts of columns, as PostgreSQL can hold them, by the types of the fields of a change: nothing can be forgotten."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import JsonValue

from tarsy_timeline.database.postgres_text import to_index_text, to_postgres_json, to_postgres_text


@dataclass(frozen=True, slots=True)
class TextRule:
    clean: Callable[[Any], Any]


TEXT = TextRule(to_postgres_text)
TEXTS = TextRule(lambda texts: [to_postgres_text(text) for text in texts])
INDEX_TEXT = TextRule(to_index_text)
JSON = TextRule(to_postgres_json)
ID = TextRule(lambda id: id)
"""A name of something. PostgreSQL refuses one that it cannot hold: replaced, it would name something else."""

Id = Annotated[str, ID]
OptionalId = Annotated[str | None, ID]
IndexText = Annotated[str, INDEX_TEXT]
OptionalIndexText = Annotated[str | None, INDEX_TEXT]


def storable[C: tuple[Any, ...]](change: C) -> C:
    """The same change, with the texts that PostgreSQL stores and memory shows."""
    values = list(change)
    for place, rule in _rules_of(type(change)):
        if values[place] is not None:
            values[place] = rule.clean(values[place])
    return tuple.__new__(type(change), values)


@cache
def _rules_of(change: type) -> Sequence[tuple[int, TextRule]]:
    """Those of the fields that have one, by their places."""
    hints = get_type_hints(change, include_extras=True).values()
    rules = ((place, _text_rule(hint)) for place, hint in enumerate(hints))
    return [(place, rule) for place, rule in rules if rule is not None]


def _text_rule(hint: object) -> TextRule | None:
    metadata = getattr(hint, "__metadata__", ())
    if marked := [one for one in metadata if isinstance(one, TextRule)]:
        return marked[0]
    kind = get_args(hint)[0] if metadata else hint
    if kind is JsonValue:
        return JSON
    if kind == list[str]:
        return TEXTS
    return TEXT if kind is str or str in get_args(kind) else None
