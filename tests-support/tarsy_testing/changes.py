"""Versions of a message, made on the spot, and what a reader of each makes of a record."""

from typing import Any

from pydantic import JsonValue, ValidationError, create_model

from tarsy_contracts.wire.message import Value

REQUIRED = ...


def model(**fields: Any) -> type[Value]:
    return create_model("Thing", __base__=Value, **fields)


def nested(**fields: Any) -> type[Value]:
    return create_model("Inner", __base__=Value, **fields)


def with_default(**fields: Any) -> type[Value]:
    """A value is the default of a field, as `CallLimits()` is."""
    inner = nested(**fields)
    return model(x=(inner, inner()))


class A(Value):
    a: int


class GrownA(A):
    more: str = ""


class B(Value):
    b: int


class Both(A, B):
    pass


class Tree(Value):
    name: str
    children: "tuple[Tree, ...]" = ()


class GrownTree(Value):
    name: str
    colour: str = ""
    children: "tuple[GrownTree, ...]" = ()


class NumberedTree(Value):
    name: int
    children: "tuple[NumberedTree, ...]" = ()


OLD = model(x=(int, REQUIRED))
MAYBE = model(x=(int | None, REQUIRED))
EITHER = model(x=(A | B, REQUIRED))
ONLY_A = model(x=(A, REQUIRED))


def read(kind: type[Value], record: str) -> dict[str, JsonValue] | None:
    """The record as a reader sees it; None if it is refused."""
    try:
        found: dict[str, JsonValue] = kind.model_validate_json(record).model_dump()
    except ValidationError:
        return None
    return found
