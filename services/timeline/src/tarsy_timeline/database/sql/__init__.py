"""SQL lives in .sql files: one file of named queries, the migrations, and the schema that they add up to."""

import re
from importlib.resources import files

from tarsy_contracts.chain import STAGES_AFTER_THE_END

NAME = re.compile(r"^-- name: (?P<name>[a-z_]+)\n", re.MULTILINE)
TABLE = re.compile(r"^create table (\w+)", re.MULTILINE)
INSERT = re.compile(r"insert into \w+ \((?P<columns>[^)]+)\) values \((?P<arguments>[^)]+)\)")
ASSIGNED = re.compile(r"(\w+) = \$(\d+)")
REPLACED = re.compile(r"(\w+) = excluded\.\1")


def named_queries(text: str) -> dict[str, str]:
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
    return set(TABLE.findall(schema()))


def written_columns(query: str) -> dict[str, int]:
    """The columns that an insert or update gives an argument as it is, and the index of each one's argument."""
    if insert := INSERT.match(query):
        columns, numbers = re.findall(r"\w+", insert["columns"]), re.findall(r"\d+", insert["arguments"])
        return {column: int(number) - 1 for column, number in zip(columns, numbers, strict=True)}
    return {column: int(number) - 1 for column, number in ASSIGNED.findall(query)}


def replaced_columns(query: str) -> list[str]:
    """The columns that an insert replaces in a row that is there."""
    return REPLACED.findall(query)


AFTER_THE_END = ", ".join(f"'{type}'" for type in STAGES_AFTER_THE_END)
QUERIES = named_queries(
    (files(__name__) / "queries.sql").read_text(encoding="utf-8").replace("{after_the_end}", AFTER_THE_END)
)
REBUILD = named_queries((files(__name__) / "rebuild.sql").read_text(encoding="utf-8"))
RETENTION = named_queries((files(__name__) / "retention.sql").read_text(encoding="utf-8"))
