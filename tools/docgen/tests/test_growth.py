"""Which changes break nobody. Each one is shown on records: the old reader reads the new one, and the new the old."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from pydantic import Field, JsonValue, create_model

from tarsy_contracts.wire.message import Value
from tarsy_docgen.breaks import breaks
from tarsy_testing.changes import OLD, REQUIRED, A, B, GrownA, GrownTree, Tree, model, read, with_default


@dataclass(frozen=True)
class Allowed:
    why: str
    old: type[Value]
    new: type[Value]
    old_record: str
    new_record: str


ALLOWED = [
    Allowed("nothing changed", OLD, model(x=(int, REQUIRED)), '{"x": 5}', '{"x": 5}'),
    Allowed("a new optional field", OLD, model(x=(int, REQUIRED), y=(str, "")), '{"x": 5}', '{"x": 5, "y": "s"}'),
    Allowed(
        "words for people",
        OLD,
        model(x=(Annotated[int, Field(description="how many", examples=[1])], REQUIRED)),
        '{"x": 5}',
        '{"x": 5}',
    ),
    Allowed(
        "a new optional field, deep inside",
        model(x=(tuple[A, ...], REQUIRED)),
        model(x=(tuple[GrownA, ...], REQUIRED)),
        '{"x": [{"a": 1}]}',
        '{"x": [{"a": 1, "more": "s"}]}',
    ),
    Allowed(
        "a new optional field in a member of a union",
        model(x=(A | B | None, None)),
        model(x=(B | None | GrownA, None)),
        '{"x": {"a": 1}}',
        '{"x": {"a": 1, "more": "s"}}',
    ),
    Allowed(
        "a new optional field in a value that is a default",
        with_default(y=(int, 1)),
        with_default(y=(int, 1), z=(int, 2)),
        "{}",
        '{"x": {"y": 1, "z": 3}}',
    ),
    Allowed(
        "another order of fields, values and members",
        model(x=(int, REQUIRED), y=(Literal["a", "b"] | None, None)),
        model(y=(None | Literal["b", "a"], None), x=(int, REQUIRED)),
        '{"x": 5, "y": "a"}',
        '{"y": "b", "x": 5}',
    ),
    Allowed(
        "a definition with another name",
        model(x=(A, REQUIRED)),
        model(x=(create_model("Other", __base__=Value, a=(int, REQUIRED)), REQUIRED)),
        '{"x": {"a": 1}}',
        '{"x": {"a": 2}}',
    ),
    Allowed(
        "a value that contains itself grew",
        Tree,
        GrownTree,
        '{"name": "n", "children": [{"name": "m"}]}',
        '{"name": "n", "colour": "red", "children": [{"name": "m", "colour": "blue"}]}',
    ),
]


@pytest.mark.parametrize("change", ALLOWED, ids=lambda change: change.why)
def test_a_change_that_breaks_nobody_passes_and_each_reads_what_the_other_wrote(change: Allowed) -> None:
    assert breaks(change.old.model_json_schema(), change.new.model_json_schema()) == []
    for record in (change.old_record, change.new_record):
        before, after = read(change.old, record), read(change.new, record)
        assert before is not None
        assert after is not None
        assert known_to(before, after)


def known_to(old: JsonValue, new: JsonValue) -> bool:
    """The new reader sees all that the old one sees, and perhaps more."""
    match old, new:
        case dict(), dict():
            return all(name in new and known_to(value, new[name]) for name, value in old.items())
        case ((list() | tuple()), (list() | tuple())):
            return len(old) == len(new) and all(map(known_to, old, new))
        case _:
            return old == new
