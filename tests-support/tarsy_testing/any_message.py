"""Any message of ours, for property tests: hypothesis strategies made of the models' annotations."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeAliasType, Union, get_origin

from hypothesis import strategies as st
from pydantic import AwareDatetime, JsonValue

from tarsy_contracts.wire.message import Value

reals = st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | reals | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    JsonValue: json_values,
    str: st.text(),
    int: st.integers(),
    float: reals,
    bool: st.booleans(),
    type(None): st.none(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    AwareDatetime: st.datetimes(timezones=st.just(UTC)),
}


@cache
def any_of(kind: Any) -> st.SearchStrategy[Any]:
    """One strategy for all examples of a test: to make it costs more than to draw from it."""
    return values(kind)


def values(kind: Any, scalars: Mapping[Any, st.SearchStrategy[Any]] = SCALARS) -> st.SearchStrategy[Any]:
    """Any value that a field of this annotation may have."""
    if kind in scalars:
        return scalars[kind]
    if isinstance(kind, TypeAliasType):
        return values(kind.__value__, scalars)
    if isinstance(kind, type) and issubclass(kind, Value):
        return st.builds(kind, **{name: values(field.annotation, scalars) for name, field in kind.model_fields.items()})
    arguments = kind.__args__
    match get_origin(kind):
        case origin if origin is Annotated:
            return values(kind.__origin__, scalars)
        case origin if origin is Literal:
            return st.sampled_from(arguments)
        case origin if origin in (UnionType, Union):
            return st.one_of([values(one, scalars) for one in arguments])
        case origin if origin is tuple:
            return st.lists(values(arguments[0], scalars), max_size=2).map(tuple)
        case origin if origin is dict:
            return st.dictionaries(values(arguments[0], scalars), values(arguments[1], scalars), max_size=2)
    raise AssertionError(f"no values for {kind}")
