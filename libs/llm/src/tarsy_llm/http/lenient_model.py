"""Lenient models of what providers send: unknown fields are ignored, as servers differ."""

import json
from typing import cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

MOST_MENDED = 16


class LenientModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


def read_lenient[M: BaseModel](model: type[M], text: str) -> M:
    """One odd field costs one field: null is as if it were not there, and so is what has another type.

    Raises ValidationError where the whole is no object.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError:
        mended = _object(text)
        if mended is None:
            raise
    for _ in range(MOST_MENDED):
        try:
            return model.model_validate(mended)
        except ValidationError as odd:
            for error in odd.errors(include_url=False, include_input=False):
                _drop(mended, error["loc"])
    return model.model_validate(mended)


def parse_json(text: str | bytes) -> JsonValue:
    """Raises ValueError, also for what is nested too deep to be read."""
    try:
        found: JsonValue = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return found


def _object(text: str) -> JsonValue:
    """Returns None for what is no object."""
    try:
        found = parse_json(text)
    except ValueError:
        return None
    return _without_nulls(found) if isinstance(found, dict) else None


def _without_nulls(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
        case list():
            return [_without_nulls(inner) for inner in value]
        case _:
            return value


def _drop(value: JsonValue, path: tuple[int | str, ...]) -> None:
    """Drops the last part of the path that is there: of a union, the path goes on with the names of types."""
    holder, key, at = value, None, value
    for step in path:
        inner = _step(at, step)
        if inner is _MISSING:
            break
        holder, key, at = at, step, cast(JsonValue, inner)
    if isinstance(holder, dict) and isinstance(key, str):
        holder.pop(key, None)
    elif isinstance(holder, list) and isinstance(key, int):
        del holder[key]


_MISSING = object()


def _step(value: JsonValue, step: int | str) -> object:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step, _MISSING)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return _MISSING
