"""YAML with structure, as a model writes it for arguments. Pure."""

import re
from typing import override

import yaml
from pydantic import JsonValue

from tarsy_contracts.near_json import DEEPEST, TooDeepError, make_readable
from tarsy_session.controllers.react.pairs import coerce
from tarsy_session.errors import SessionError

LONGEST = 6_000
"""Limit of the text: the YAML reader is slow, and blocks everything else that the process does."""
STRUCTURE = re.compile(r"^[ \t]*+[\w.\-\"']++:[ \t]*+(?:$|[|>\[{])", re.MULTILINE)
NAME = re.compile(r"[^\W\d][\w.\-]*")


class YamlRefusedError(SessionError, yaml.YAMLError):
    """Nothing that arguments need. The model writes JSON, or plainer YAML."""


class Loader(yaml.SafeLoader):
    """YAML without anchors: a few lines of them stand for gigabytes. Deep brackets are slow to read, and end it."""

    @override
    def fetch_flow_collection_start(self, token_class: type[yaml.Token]) -> None:
        if self.flow_level > DEEPEST:
            raise YamlRefusedError
        super().fetch_flow_collection_start(token_class)

    @override
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if getattr(self.peek_event(), "anchor", None) is not None:  # type: ignore[no-untyped-call]
            raise YamlRefusedError
        return super().compose_node(parent, index)


def parse_yaml(text: str) -> dict[str, JsonValue] | None:
    """Returns None unless the text is a mapping that holds a list, a mapping, or a block of text."""
    if len(text) > LONGEST or not STRUCTURE.search(text):
        return None
    try:
        root = yaml.compose(text, Loader=Loader)
        if not isinstance(root, yaml.MappingNode) or not any(_is_deep(value) for _, value in root.value):
            return None
        found = _read_mapping(root, 0)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return found if all(NAME.fullmatch(key) for key in found) else None


def _is_deep(node: yaml.Node) -> bool:
    return not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">")


def _read_mapping(node: yaml.MappingNode, depth: int) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise YamlRefusedError
        found[make_readable(key.value)] = _read_node(value, depth + 1)
    return found


def _read_node(node: yaml.Node, depth: int) -> JsonValue:
    """Reads only unquoted numbers as numbers: dates, `no` and 12:30 are text, whatever YAML 1.1 says."""
    if depth > DEEPEST:
        raise TooDeepError
    match node:
        case yaml.MappingNode():
            return _read_mapping(node, depth)
        case yaml.SequenceNode():
            return [_read_node(item, depth + 1) for item in node.value]
        case _:
            text = str(node.value)
            if isinstance(node, yaml.ScalarNode) and node.style is None:
                return None if text in ("", "~") else coerce(text)
            return make_readable(text)
