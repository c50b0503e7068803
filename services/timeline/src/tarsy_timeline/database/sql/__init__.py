"""SQL lives in .sql files: one file of named queries, the migrations, and the schema that they add up to."""

import json
import re
from importlib.resources import files
from typing import Any

from tarsy_contracts.chain import STAGES_AFTER_THE_END

NAME = re.compile(r"^-- name: (?P<name>[a-z_]+)\n", re.MULTILINE)
TABLE = re.compile(r"^create table (?P<name>\w+) \((?P<columns>.*?)^\);", re.MULTILINE | re.DOTALL)
COLUMN = re.compile(
    r"^    (?!primary key)(?P<name>\w+) (?P<type>[a-z]+(?:\[\])?)(?:.* default (?P<default>[^\s,]+))?", re.MULTILINE
)


def parse_queries(text: str) -> dict[str, str]:
    """Each `-- name: x` begins the query `x`, which ends where the next one begins."""
    pieces = NAME.split(text)[1:]
    return {name: query.strip() for name, query in zip(pieces[::2], pieces[1::2], strict=True)}


def migrations() -> list[tuple[str, str]]:
    """Name and text of each, in the order in which they are applied."""
    folder = files(__name__) / "migrations"
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return sorted((file.name, file.read_text(encoding="utf-8")) for file in found)


def schema() -> str:
    return (files(__name__) / "schema.sql").read_text(encoding="utf-8")


def tables() -> set[str]:
    return {table["name"] for table in TABLE.finditer(schema())}


def column_defaults() -> dict[str, dict[str, Any]]:
    """By table: the values that a new row has in the columns that its insert does not name."""
    return {
        table["name"]: {
            one["name"]: _parse_default(one["type"], one["default"]) for one in COLUMN.finditer(table["columns"])
        }
        for table in TABLE.finditer(schema())
    }


def _parse_default(type: str, literal: str | None) -> Any:
    if literal is None:
        return None
    if type.endswith("[]"):
        return ()
    return literal.strip("'") if type == "text" else json.loads(literal.strip("'"))


AFTER_THE_END = ", ".join(f"'{type}'" for type in STAGES_AFTER_THE_END)
_TEXTS = parse_queries(
    (files(__name__) / "queries.sql").read_text(encoding="utf-8").replace("{after_the_end}", AFTER_THE_END)
)
QUERIES = {name: text.replace("{conditions}", _TEXTS["conditions"]) for name, text in _TEXTS.items()}
REBUILD = parse_queries((files(__name__) / "rebuild.sql").read_text(encoding="utf-8"))
RETENTION = parse_queries((files(__name__) / "retention.sql").read_text(encoding="utf-8"))
