"""Named fields of an alert's data: at the top, or in one of the objects that senders keep them in."""

from collections.abc import Iterator, Sequence

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


def fields_in(text: str) -> tuple[Fields, ...]:
    """The texts in each object, the outermost first; none where the text is not JSON. A list counts with one alert."""
    if text.lstrip()[:1] not in ("{", "["):
        return ()
    try:
        value: JsonValue = from_json(text)
    except ValueError:
        return ()
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return tuple(_objects(value, DEEPEST))


def first_named(objects: Sequence[Fields], names: Sequence[str]) -> str | None:
    """The first of these names in the first object that has one."""
    return next((fields[name] for fields in objects for name in names if name in fields), None)


def _objects(value: JsonValue, deep: int) -> Iterator[Fields]:
    if not isinstance(value, dict):
        return
    named = {name.lower(): held for name, held in value.items()}
    yield {name: held.strip() for name, held in named.items() if isinstance(held, str) and held.strip()}
    if deep:
        for name in OBJECTS:
            yield from _objects(named.get(name), deep - 1)
