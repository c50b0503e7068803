"""The checker, on schemas that nobody thought of."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_docgen.breaks import breaks

NAMES = st.sampled_from("abcdef")
LEAVES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.sampled_from([{"type": name} for name in ("string", "integer", "number", "boolean", "null")]),
    st.just({}),
    st.lists(st.sampled_from("uvwxyz"), min_size=1, unique=True).map(lambda values: {"type": "string", "enum": values}),
    st.integers(0, 9).map(lambda most: {"type": "integer", "maximum": most}),
)


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    def with_required(properties: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        names = st.lists(st.sampled_from(sorted(properties)), unique=True) if properties else st.just([])
        return names.map(lambda chosen: {"type": "object", "properties": properties, "required": chosen})

    return st.dictionaries(NAMES, inner, max_size=4).flatmap(with_required)


def containers(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        objects(inner),
        inner.map(lambda items: {"type": "array", "items": items}),
        inner.map(lambda values: {"type": "object", "additionalProperties": values}),
        st.lists(inner, min_size=2, max_size=3).map(lambda members: {"anyOf": members}),
    )


SCHEMAS = objects(st.recursive(LEAVES, containers, max_leaves=12))


@settings(deadline=None)
@given(SCHEMAS)
def test_what_did_not_change_breaks_nobody(schema: dict[str, Any]) -> None:
    assert breaks(schema, copy.deepcopy(schema)) == []


def messages_in(schema: Any) -> list[dict[str, Any]]:
    """All objects with fields, but for those in unions: there, another member may take a changed one's place."""
    found = []
    match schema:
        case dict():
            if "properties" in schema:
                found.append(schema)
            parts = [value for key, value in schema.items() if key != "anyOf"]
            found += [each for part in parts for each in messages_in(part)]
        case list():
            found += [each for part in schema for each in messages_in(part)]
        case _:
            pass
    return found


@settings(deadline=None)
@given(SCHEMAS, st.data())
def test_a_new_optional_field_anywhere_breaks_nobody(schema: dict[str, Any], data: st.DataObject) -> None:
    new = copy.deepcopy(schema)
    data.draw(st.sampled_from(messages_in(new)))["properties"]["new"] = data.draw(LEAVES)
    assert breaks(schema, new) == []


@settings(deadline=None)
@given(SCHEMAS, st.data())
def test_a_field_that_goes_or_becomes_required_anywhere_is_found(schema: dict[str, Any], data: st.DataObject) -> None:
    new = copy.deepcopy(schema)
    message = data.draw(st.sampled_from(messages_in(new)))
    if message["properties"] and data.draw(st.booleans()):
        gone = data.draw(st.sampled_from(sorted(message["properties"])))
        del message["properties"][gone]
        message["required"] = [name for name in message["required"] if name != gone]
    else:
        message["properties"]["new"] = data.draw(LEAVES)
        message["required"] = [*message["required"], "new"]
    assert breaks(schema, new)


@settings(deadline=None)
@given(SCHEMAS, SCHEMAS)
def test_who_breaks_nobody_in_either_direction_says_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Growth goes one way: where both directions pass, no field is in only one of them."""
    if not breaks(one, other) and not breaks(other, one):
        assert one["properties"].keys() == other["properties"].keys()
        assert set(one["required"]) == set(other["required"])
