"""One more entry in the text of a `tarsy.yaml`. All that stands there stays as it is, comments too."""

import yaml

from tarsy_cli.errors import CommandError

SECTION = "mcp_servers"
INDENT = 2
NULLS = ("", "~", "null")

type Data = dict[object, object]


class ServerNotAddedError(CommandError):
    """The entry cannot be added to the file as it is. The operator corrects the file, or pastes the entry."""


def insert_server(text: str, name: str, entry: str) -> str:
    """The text with `entry` as `name` at the end of `mcp_servers`. Raises ServerNotAddedError."""
    before = _data_of(text)
    servers = before.get(SECTION) or {}
    if not isinstance(servers, dict):
        raise ServerNotAddedError(f"{SECTION} is not a list of names: `tarsy config check` says where")
    if name in servers:
        raise ServerNotAddedError(f"a server {name} is there already: choose another name with --as")
    changed = _with_entry(text, name, entry)
    expected = before | {SECTION: servers | {name: yaml.safe_load(entry)}}
    try:
        as_expected = _data_of(changed) == expected
    except ServerNotAddedError:
        as_expected = False
    if not as_expected:
        raise ServerNotAddedError(f"{SECTION} is written in a form that cannot be extended: paste the entry")
    return changed.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else changed


def _data_of(text: str) -> Data:
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        raise ServerNotAddedError("the file cannot be read as YAML: `tarsy config check` says where") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ServerNotAddedError("the file has no sections: `tarsy config check` says where")
    return data


def _with_entry(text: str, name: str, entry: str) -> str:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    section = next((pair for pair in pairs if pair[0].value == SECTION), None)
    if section is None:
        return f"{_with_newline(text)}{SECTION}:\n{_lines(name, entry, INDENT, INDENT)}"
    key, value = section
    if not value.value or value.value in NULLS:
        return _replace_empty(text, key, value, _lines(name, entry, INDENT, INDENT))
    end = _end_of_block(text, value)
    column = value.value[0][0].start_mark.column
    step = max(column - key.start_mark.column, INDENT)
    return f"{_with_newline(text[:end])}{_lines(name, entry, column, step)}{text[end:]}"


def _replace_empty(text: str, key: yaml.Node, value: yaml.Node, lines: str) -> str:
    """The `{}` or null goes, and what is behind it on the line stays."""
    begin, end = value.start_mark.index, value.end_mark.index
    if begin == end:
        begin = end = text.index(":", key.end_mark.index) + 1
    behind, _, rest = text[end:].partition("\n")
    return f"{text[:begin].rstrip(' ')}{behind.rstrip('\r')}\n{lines}{rest}"


def _end_of_block(text: str, value: yaml.Node) -> int:
    """Behind the last line of the last server: comments below it may belong to what comes next."""
    last = value
    while isinstance(last, (yaml.MappingNode, yaml.SequenceNode)) and last.value and not last.flow_style:
        last = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
    end = last.end_mark.index
    if isinstance(last, yaml.ScalarNode) and last.style in ("|", ">"):
        return len(text[:end].rstrip("\r\n")) + 1
    newline = text.find("\n", end)
    return len(text) if newline < 0 else newline + 1


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _lines(name: str, entry: str, column: int, step: int) -> str:
    inside = [f"{' ' * (column + step)}{line}" if line else "" for line in entry.rstrip("\n").split("\n")]
    return "\n".join([f"{' ' * column}{name}:", *inside]) + "\n"
