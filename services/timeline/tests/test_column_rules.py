"""The rules of columns: PostgreSQL and the fold in memory come to the same value."""

import json

import asyncpg

from tarsy_contracts.wire.numbers import LARGEST_COUNT
from tarsy_timeline.rows import column_rules as rules
from tarsy_timeline.rows.column_rules import ColumnRule, rules_of
from tarsy_timeline.rows.row_statements import STATEMENTS

CASES: list[tuple[ColumnRule, str, str, list[tuple[object, object]]]] = [
    (rules.REPLACE, "text", "text", [("a", "b"), ("a", None), (None, "b")]),
    (rules.KEY, "text", "text", [("a", "a")]),
    (rules.ONCE, "text", "text", [("a", "b"), (None, "b")]),
    (rules.FIRST, "text", "text", [("a", "b"), (None, "b"), ("a", None), (None, None)]),
    (rules.UNLESS_NULL, "text", "text", [("a", "b"), (None, "b"), ("a", None), (None, None)]),
    (rules.ADD, "integer", "integer", [(1, 2), (3, 0)]),
    (rules.ADD_BOUNDED, "bigint", "bigint", [(1, 2), (LARGEST_COUNT, 1), (5, LARGEST_COUNT)]),
    (rules.ADD_UP_TO_TOTAL, "bigint", "bigint[]", [(2, (1, 0)), (2, (1, 3)), (2, (1, 9)), (5, (2, 3))]),
    (rules.LARGEST, "bigint", "bigint", [(1, 2), (2, 1)]),
    (rules.MERGE, "jsonb", "jsonb", [({"a": 1, "b": {"c": 2}}, {"b": {"d": 3}}), ({}, {"a": None})]),
]


async def test_postgres_and_memory_come_to_the_same_value(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    try:
        for rule, old_type, new_type, values in CASES:
            expression = rule.sql.format(old="t.old", new="t.new")
            asked = f"select {expression} from (select $1::{old_type} as old, $2::{new_type} as new) t"
            for old, new in values:
                assert await connection.fetchval(asked, old, new) == rule.combine(old, new), (rule.sql, old, new)
    finally:
        await connection.close()


def test_the_cases_have_every_rule_of_a_change() -> None:
    used = {rule.sql for change in STATEMENTS for rule in rules_of(change).values()}
    assert used == {rule.sql for rule, *_ in CASES}
