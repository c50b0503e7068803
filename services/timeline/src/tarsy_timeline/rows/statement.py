"""A change of a row as a statement: its SQL, and the same change of tables in memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tarsy_timeline.database.sql import QUERIES, column_defaults
from tarsy_timeline.rows.column_rules import KEY, ONCE, ColumnRule, Fields, rules_of
from tarsy_timeline.rows.row_changes import RowChange

type RowKey = tuple[object, ...]
type Tables = dict[str, dict[RowKey, Fields]]
"""By name; their rows by key."""
type Rules = Mapping[str, ColumnRule]
type Fold = Callable[[Tables, Any], None]

NEW_ROWS = column_defaults()


@dataclass(frozen=True, slots=True)
class RowStatement:
    """A change of this kind is the arguments of `sql`. `apply` changes the tables that it is given."""

    name: str
    change: type[RowChange]
    sql: str
    apply: Fold


def update(name: str, table: str, change: type[RowChange]) -> RowStatement:
    """Changes a row that is there."""
    rules, key = rules_of(change), _key_columns(change)

    def apply(tables: Tables, one: RowChange) -> None:
        row = tables[table].get(one[: len(key)])
        if row is not None:
            _change_row(row, rules, one)

    arguments = _placeholders(rules)
    wanted = " and ".join(f"t.{column} = {arguments[column]}" for column in key)
    sql = f"update {table} as t set {_set_assignments(rules, arguments)} where {wanted}"
    return RowStatement(name, change, sql, apply)


def upsert(name: str, table: str, change: type[RowChange]) -> RowStatement:
    """Changes a row, and inserts it where it is missing."""
    rules, key = rules_of(change), _key_columns(change)

    def apply(tables: Tables, one: RowChange) -> None:
        row = tables[table].get(one[: len(key)])
        if row is None:
            tables[table][one[: len(key)]] = {**NEW_ROWS[table], **dict(zip(rules, one, strict=True))}
        else:
            _change_row(row, rules, one)

    insert = f"insert into {table} as t ({', '.join(rules)}) values ({', '.join(_placeholders(rules).values())})"
    changed = _set_assignments(rules, {column: f"excluded.{column}" for column in rules})
    sql = f"{insert} on conflict ({', '.join(key)}) do update set {changed}"
    return RowStatement(name, change, sql, apply)


def query(name: str, change: type[RowChange], apply: Fold = lambda _tables, _change: None) -> RowStatement:
    """Stands in queries.sql, as it does more than change one row."""
    return RowStatement(name, change, QUERIES[name], apply)


def _change_row(row: Fields, rules: Rules, change: RowChange) -> None:
    for (column, rule), value in zip(rules.items(), change, strict=True):
        row[column] = rule.combine(row[column], value)


def _key_columns(change: type[RowChange]) -> list[str]:
    """They are the first fields."""
    return [column for column, rule in rules_of(change).items() if rule is KEY]


def _placeholders(rules: Rules) -> dict[str, str]:
    return {column: f"${place}" for place, column in enumerate(rules, start=1)}


def _set_assignments(rules: Rules, new: Mapping[str, str]) -> str:
    """`new`: the name of what each column is given."""
    return ", ".join(
        f"{column} = {rule.sql.format(old=f't.{column}', new=new[column])}"
        for column, rule in rules.items()
        if rule not in (KEY, ONCE)
    )
