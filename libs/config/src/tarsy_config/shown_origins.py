"""Origins of the settings that an API shows, by their JSON pointers."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_config.errors import Place
from tarsy_config.provenance import DEFAULT, Origin

SECTIONS = {"chains": "agent_chains"}
"""The names of sections in `tarsy.yaml`, where the API has others."""


def shown_origins(config: Config, shown: Mapping[str, JsonValue]) -> dict[str, str]:
    """Names each value, and each list of values, that is no default."""
    found: dict[str, str] = {}
    for section, tree in shown.items():
        for place in _leaves(tree, ()):
            origin = config.sources.given((SECTIONS.get(section, section), *place))
            if origin != DEFAULT:
                found[_pointer((section, *place))] = _words(origin)
    return found


def _leaves(tree: JsonValue, place: Place) -> Iterator[Place]:
    match tree:
        case dict():
            for key, value in tree.items():
                yield from _leaves(value, (*place, key))
        case list() if any(isinstance(item, dict | list) for item in tree):
            for index, item in enumerate(tree):
                yield from _leaves(item, (*place, index))
        case _:
            yield place


def _words(origin: Origin) -> str:
    return f"{origin.file}:{origin.line}" if origin.kind == "file" else origin.kind


def _pointer(place: Place) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in place)
