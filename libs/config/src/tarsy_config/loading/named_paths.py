"""Paths that a `tarsy.yaml` names, also of one with mistakes: what lies there is looked at until it has none."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import yaml

from tarsy_config.document.templates import InvalidTemplateError, fill
from tarsy_config.sections.all_sections import SKILL_FOLDERS
from tarsy_config.sections.prices import USUAL_LIST


def name_skill_folders(content: bytes, environ: Mapping[str, str]) -> tuple[str, ...]:
    return _named("skill_folders", content, environ) or SKILL_FOLDERS


def name_price_lists(content: bytes, environ: Mapping[str, str]) -> tuple[str, ...]:
    return _named("price_lists", content, environ) or (USUAL_LIST,)


def _named(key: str, content: bytes, environ: Mapping[str, str]) -> tuple[str, ...]:
    try:
        return tuple(fill(name, environ) for name in _written(key, content))
    except InvalidTemplateError:
        return ()


@lru_cache(maxsize=8)
def _written(key: str, content: bytes) -> tuple[str, ...]:
    """The same content is asked about at each look."""
    try:
        root = yaml.compose(content, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return ()
    items = _value_of(root, key)
    return tuple(_names(items)) if isinstance(items, yaml.SequenceNode) else ()


def _names(items: yaml.SequenceNode) -> Iterator[str]:
    """An item is a path, or a section with its `file`."""
    for item in items.value:
        path = _value_of(item, "file") if isinstance(item, yaml.MappingNode) else item
        if isinstance(path, yaml.ScalarNode):
            yield path.value


def _value_of(node: yaml.Node | None, key: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for name, value in pairs if isinstance(name, yaml.ScalarNode) and name.value == key), None)
