"""Named fields of an alert's data: at the top, or in one of the objects that senders keep them in."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue
from pydantic_core import from_json

OBJECTS = (
    "labels",
    "commonlabels",
    "grouplabels",
    "annotations",
    "commonannotations",
    "payload",
    "custom_details",
    "details",
    "tags",
    "attributes",
    "metadata",
)
"""Names of objects that have fields of the alert, in lower case; an object in one of these counts, too."""
DEEPEST = 2

type Fields = dict[str, str]
"""By name in lower case: senders write `severity` and `Severity`."""


class NamedObject(NamedTuple):
    """The texts of an object, and its name; the data itself has none."""

    name: str
    fields: Fields


def objects_in(text: str) -> tuple[NamedObject, ...]:
    """Those that have fields of the alert, the outermost first; none where the text is not JSON. A list
    counts with one alert.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return ()
    try:
        value: JsonValue = from_json(text)
    except ValueError:
        return ()
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return tuple(_find_objects("", value, DEEPEST))


def find_first(objects: Sequence[Fields], names: Sequence[str]) -> str | None:
    """The first of these names in the first object that has one."""
    return next((fields[name] for fields in objects for name in names if name in fields), None)


def _find_objects(name: str, value: JsonValue, deep: int) -> Iterator[NamedObject]:
    if not isinstance(value, dict):
        return
    named = {key.lower(): held for key, held in value.items()}
    yield NamedObject(
        name, {key: held.strip() for key, held in named.items() if isinstance(held, str) and held.strip()}
    )
    if deep:
        for inner in OBJECTS:
            yield from _find_objects(inner, named.get(inner), deep - 1)
