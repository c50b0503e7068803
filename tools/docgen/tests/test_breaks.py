"""Which changes break readers. Each one is shown on a record: what the checker says is what pydantic does."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from pydantic import Field, JsonValue

from tarsy_contracts.wire.message import Value
from tarsy_docgen.breaks import breaks
from tarsy_docgen.schema import Schema
from tarsy_testing.changes import (
    EITHER,
    MAYBE,
    OLD,
    ONLY_A,
    REQUIRED,
    A,
    B,
    Both,
    NumberedTree,
    Tree,
    model,
    nested,
    read,
    with_default,
)


@dataclass(frozen=True)
class BreakingChange:
    """`shows` is a record of one of both, which the other cannot read, or reads as something else."""

    why: str
    old: type[Value]
    new: type[Value]
    shows: str
    place: str
    says: str


REFUSED = [
    BreakingChange("a field removed", model(x=(int, 0)), model(), '{"x": 5}', "/x", "is gone"),
    BreakingChange("a field renamed", OLD, model(y=(int, REQUIRED)), '{"x": 5}', "/x", "is gone"),
    BreakingChange("a new required field", model(), OLD, "{}", "/x", "is new and required"),
    BreakingChange("made required", model(x=(int, 0)), OLD, "{}", "/x", "is required now"),
    BreakingChange("made optional", OLD, model(x=(int, 0)), "{}", "/x", "is optional now"),
    BreakingChange("another type", OLD, model(x=(str, REQUIRED)), '{"x": 5}', "/x", "was integer and is string"),
    BreakingChange("a narrower type", model(x=(float, REQUIRED)), OLD, '{"x": 1.5}', "/x", "was number and is integer"),
    BreakingChange("a wider type", OLD, model(x=(float, REQUIRED)), '{"x": 1.5}', "/x", "was integer and is number"),
    BreakingChange("anything goes", OLD, model(x=(JsonValue, REQUIRED)), '{"x": "s"}', "/x", "is anything now"),
    BreakingChange("null is possible", OLD, MAYBE, '{"x": null}', "/x", "can be null now"),
    BreakingChange("null is impossible", MAYBE, OLD, '{"x": null}', "/x", "cannot be null any longer"),
    BreakingChange("another default", model(x=(int, 0)), model(x=(int, 1)), "{}", "/x", "had 0 as default, and has 1"),
    BreakingChange("true is not 1", model(x=(int | bool, 1)), model(x=(int | bool, True)), "{}", "/x", "has true now"),
    BreakingChange(
        "a value of a list removed",
        model(x=(Literal["a", "b"], REQUIRED)),
        model(x=(Literal["a"], REQUIRED)),
        '{"x": "b"}',
        "/x",
        'cannot be "b" any longer',
    ),
    BreakingChange(
        "a value of a list added",
        model(x=(Literal["a"], REQUIRED)),
        model(x=(Literal["a", "b"], REQUIRED)),
        '{"x": "b"}',
        "/x",
        'can be "b" now: older readers',
    ),
    BreakingChange(
        "a list of values opened",
        model(x=(Literal["a"], REQUIRED)),
        model(x=(str, REQUIRED)),
        '{"x": "b"}',
        "/x",
        "takes any value now",
    ),
    BreakingChange(
        "free text closed",
        model(x=(str, REQUIRED)),
        model(x=(Literal["a"], REQUIRED)),
        '{"x": "b"}',
        "/x",
        "takes only some values now",
    ),
    BreakingChange(
        "a limit tightened",
        model(x=(Annotated[int, Field(le=9)], REQUIRED)),
        model(x=(Annotated[int, Field(le=5)], REQUIRED)),
        '{"x": 7}',
        "/x",
        "had 9 as maximum, and has 5",
    ),
    BreakingChange(
        "a limit loosened",
        model(x=(Annotated[int, Field(le=5)], REQUIRED)),
        model(x=(Annotated[int, Field(le=9)], REQUIRED)),
        '{"x": 7}',
        "/x",
        "had 5 as maximum, and has 9",
    ),
    BreakingChange(
        "a pattern added",
        model(x=(str, REQUIRED)),
        model(x=(Annotated[str, Field(pattern="^a$")], REQUIRED)),
        '{"x": "b"}',
        "/x",
        'had nothing as pattern, and has "^a$"',
    ),
    BreakingChange(
        "in a nested value",
        model(x=(nested(y=(int, REQUIRED)), REQUIRED)),
        model(x=(nested(y=(str, REQUIRED)), REQUIRED)),
        '{"x": {"y": 5}}',
        "/x/y",
        "was integer and is string",
    ),
    BreakingChange(
        "in a list of values",
        model(x=(tuple[A, ...], REQUIRED)),
        model(x=(tuple[Both, ...], REQUIRED)),
        '{"x": [{"a": 5}]}',
        "/x/[]/b",
        "is new and required",
    ),
    BreakingChange(
        "in a map",
        model(x=(dict[str, int], REQUIRED)),
        model(x=(dict[str, str], REQUIRED)),
        '{"x": {"k": 5}}',
        "/x/*",
        "was integer and is string",
    ),
    BreakingChange(
        "a map that becomes a value",
        model(x=(dict[str, JsonValue], REQUIRED)),
        model(x=(nested(y=(int, 0)), REQUIRED)),
        '{"x": {"y": "text"}}',
        "/x",
        "said which fields of any name it takes",
    ),
    BreakingChange(
        "a value that becomes a map",
        model(x=(nested(y=(int, 0)), REQUIRED)),
        model(x=(dict[str, int], REQUIRED)),
        '{"x": {"unknown": "text"}}',
        "/x",
        "skipped the fields that it does not name",
    ),
    BreakingChange(
        "a pair that becomes a triple",
        model(x=(tuple[int, int], REQUIRED)),
        model(x=(tuple[int, int, int], REQUIRED)),
        '{"x": [1, 2]}',
        "/x",
        "had 2 items of a fixed meaning, and has 3",
    ),
    BreakingChange("a union grown", ONLY_A, EITHER, '{"x": {"b": 1}}', "/x", "can be B now"),
    BreakingChange("a union shrunk", EITHER, ONLY_A, '{"x": {"b": 1}}', "/x", "cannot be B"),
    BreakingChange(
        "a member of a union changed",
        model(x=(A | None, REQUIRED)),
        model(x=(B | None, REQUIRED)),
        '{"x": {"a": 1}}',
        "/x/a",
        "is gone",
    ),
    BreakingChange(
        "the default of a nested value",
        with_default(y=(int, 1)),
        with_default(y=(int, 2)),
        '{"x": {}}',
        "/x/y",
        "had 1 as default, and has 2",
    ),
    BreakingChange("in a recursive value", Tree, NumberedTree, '{"name": "n"}', "/name", "was string and is integer"),
]


@pytest.mark.parametrize("change", REFUSED, ids=lambda change: change.why)
def test_a_change_that_breaks_a_reader_is_refused_with_the_field_and_the_reason(change: BreakingChange) -> None:
    found = breaks(change.old.model_json_schema(), change.new.model_json_schema())
    assert [one for one in found if one.place == change.place and change.says in one.what], found
    before, after = read(change.old, change.shows), read(change.new, change.shows)
    assert before is None or after is None or str(before) != str(after), "both read the record alike: no break"


def test_a_keyword_that_the_checker_does_not_know_may_not_change() -> None:
    old: Schema = {"type": "string"}
    new: Schema = {"type": "string", "contentEncoding": "base64"}
    assert [str(one) for one in breaks(old, new)] == ['/ had nothing as contentEncoding, and has "base64" now']


def test_a_field_that_a_map_could_hold_before_is_not_new() -> None:
    """Records may have the name already, with any type: pydantic's extra='allow'."""
    old: Schema = {"type": "object", "properties": {}, "additionalProperties": True}
    new: Schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": True}
    assert [one.place for one in breaks(old, new)] == ["/x"]


def test_types_in_a_list_are_a_union() -> None:
    old: Schema = {"type": ["string", "null"]}
    new: Schema = {"anyOf": [{"type": "null"}, {"type": "string"}]}
    assert breaks(old, new) == []
    assert breaks(old, {"type": "string"}) != []
