"""Origins of the settings that an API shows, by their JSON pointers."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_config.document.provenance import DEFAULT, Origin
from tarsy_config.errors import KeyPath

SECTIONS = {"chains": "agent_chains"}
"""The names of sections in `tarsy.yaml`, where the API has others."""


def describe_origins(config: Config, shown: Mapping[str, JsonValue]) -> dict[str, str]:
    """Names each value, and each list of values, that is no default."""
    found: dict[str, str] = {}
    for section, tree in shown.items():
        for path in _paths_of_leaves(tree, ()):
            origin = config.sources.origin_or_default((SECTIONS.get(section, section), *path))
            if origin != DEFAULT:
                found[_json_pointer((section, *path))] = _describe_origin(origin)
    return found


def _paths_of_leaves(tree: JsonValue, path: KeyPath) -> Iterator[KeyPath]:
    match tree:
        case dict():
            for key, value in tree.items():
                yield from _paths_of_leaves(value, (*path, key))
        case list() if any(isinstance(item, dict | list) for item in tree):
            for index, item in enumerate(tree):
                yield from _paths_of_leaves(item, (*path, index))
        case _:
            yield path


def _describe_origin(origin: Origin) -> str:
    return f"{origin.file}:{origin.line}" if origin.kind == "file" else origin.kind


def _json_pointer(path: KeyPath) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)
