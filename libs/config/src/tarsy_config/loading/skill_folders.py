"""The folders of skills that a `tarsy.yaml` names, also of one with mistakes: they are looked at until it has none."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import yaml

from tarsy_config.document.templates import InvalidTemplateError, fill
from tarsy_config.sections.all_sections import SKILL_FOLDERS

KEY = "skill_folders"


def name_skill_folders(content: bytes, environ: Mapping[str, str]) -> tuple[str, ...]:
    try:
        return tuple(fill(name, environ) for name in _written(content)) or SKILL_FOLDERS
    except InvalidTemplateError:
        return SKILL_FOLDERS


@lru_cache(maxsize=4)
def _written(content: bytes) -> tuple[str, ...]:
    """The same content is asked about at each look."""
    try:
        root = yaml.compose(content, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return ()
    return tuple(_names(root))


def _names(root: yaml.Node | None) -> Iterator[str]:
    if not isinstance(root, yaml.MappingNode):
        return
    for key, value in root.value:
        if isinstance(key, yaml.ScalarNode) and key.value == KEY and isinstance(value, yaml.SequenceNode):
            yield from (item.value for item in value.value if isinstance(item, yaml.ScalarNode))
