"""The effective configuration as lines for people."""

from collections.abc import Iterator

from pydantic import JsonValue

from tarsy_cli.config.leaves import Tree
from tarsy_local.terminal_text import one_line

LONGEST = 70
INDENT = "  "


def lines_of(tree: Tree) -> Iterator[str]:
    for key, inside in tree.items():
        yield from _lines_of(key, inside, "")


def _lines_of(key: str, inside: JsonValue, before: str) -> Iterator[str]:
    match inside:
        case {"value": value, "from": str(origin)}:
            yield f"{before}{key}: {_value_text(value)}    ({origin})"
        case dict() if inside:
            yield f"{before}{key}:"
            for name, value in inside.items():
                yield from _lines_of(name, value, before + INDENT)
        case list() if any(isinstance(item, dict) for item in inside):
            yield f"{before}{key}:"
            for number, item in enumerate(inside, 1):
                yield from _lines_of(str(number), item, before + INDENT)
        case _:
            yield f"{before}{key}: {_value_text(inside)}"


def _value_text(value: JsonValue) -> str:
    match value:
        case None | "" | []:
            return "none"
        case dict():
            return ", ".join(f"{key}: {_value_text(inside)}" for key, inside in value.items()) or "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case list():
            return ", ".join(map(_value_text, value))
        case _:
            line = one_line(str(value))
            return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
