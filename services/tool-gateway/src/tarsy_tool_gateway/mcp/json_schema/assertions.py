"""Assertions of JSON Schema 2020-12: keywords that say something of the value itself."""

from collections.abc import Callable, Mapping
from math import isfinite

from tarsy_tool_gateway.mcp.json_schema.applicators import FITS, UNKNOWN, Keyword, Schema
from tarsy_tool_gateway.mcp.json_schema.equality import canonical
from tarsy_tool_gateway.mcp.json_schema.verdicts import Misfit, Path, SchemaCheck, Verdict

MOST_EXACT = 2**64


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TYPES: Mapping[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (not isinstance(value, float) or value.is_integer()),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def type_(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    names = operand if isinstance(operand, list) else [operand]
    run.spend(len(names))
    known = [TYPES[name] for name in names if isinstance(name, str) and name in TYPES]
    if any(is_of(value) for is_of in known):
        return FITS
    if len(known) < len(names):
        return UNKNOWN
    wanted = ", ".join(repr(name) for name in names)
    return Misfit(f"{{}} is not of type {wanted}", (value,), path)


def enum(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(operand, list):
        return UNKNOWN
    wanted = canonical(value, run.spend)
    if any(canonical(one, run.spend) == wanted for one in operand):
        return FITS
    return Misfit("{} is not one of {}", (value, operand), path)


def const(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if canonical(operand, run.spend) == canonical(value, run.spend):
        return FITS
    return Misfit("{} was expected", (operand,), path)


def required(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, dict):
        return FITS
    return _check_required_names(run, operand, value, path, "{} is a required property", ())


def dependent_required(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, dict):
        return FITS
    if not isinstance(operand, dict):
        return UNKNOWN
    run.spend(len(operand))
    for name, needed in operand.items():
        if name not in value:
            continue
        verdict = _check_required_names(run, needed, value, path, "{} is a dependency of {}", (name,))
        if verdict is not FITS:
            return verdict
    return FITS


def _check_required_names(
    run: SchemaCheck, operand: object, value: Mapping[object, object], path: Path, text: str, more: tuple[object, ...]
) -> Verdict:
    if not isinstance(operand, list):
        return UNKNOWN
    run.spend(len(operand))
    if not all(isinstance(name, str) for name in operand):
        return UNKNOWN
    missing = next((name for name in operand if name not in value), None)
    return FITS if missing is None else Misfit(text, (missing, *more), path)


def unique_items(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if operand is not True or not isinstance(value, list):
        return FITS
    seen = {canonical(item, run.spend) for item in value}
    return FITS if len(seen) == len(value) else Misfit("{} has non-unique elements", (value,), path)


def pattern(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    if not isinstance(value, str):
        return FITS
    matches = run.matches(operand, value)
    if matches is None:
        return UNKNOWN
    return FITS if matches else Misfit("{} does not match {}", (value, operand), path)


def multiple_of(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
    """The server knows better how exact it is."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return FITS
    if not isinstance(operand, int) or isinstance(operand, bool) or operand <= 0 or not isfinite(value):
        return UNKNOWN
    if abs(value) > MOST_EXACT or operand > MOST_EXACT:
        return UNKNOWN
    return FITS if value % operand == 0 else Misfit("{} is not a multiple of {}", (value, operand), path)


def _make_measuring_keyword(
    measure: Callable[[object], float | None], holds: Callable[[float, float], bool], text: str
) -> Keyword:
    """`measure` is None of a value of another kind."""

    def keyword(run: SchemaCheck, operand: object, value: object, schema: Schema, path: Path) -> Verdict:
        found = measure(value)
        if found is None:
            return FITS
        if not isinstance(operand, int | float) or isinstance(operand, bool):
            return UNKNOWN
        return FITS if holds(found, operand) else Misfit(text, (value, operand), path)

    return keyword


def _number_or_none(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _make_length_measure(
    kind: type[str] | type[list[object]] | type[dict[str, object]],
) -> Callable[[object], float | None]:
    return lambda value: len(value) if isinstance(value, kind) else None


def _at_least(found: float, operand: float) -> bool:
    return found >= operand


def _at_most(found: float, operand: float) -> bool:
    return found <= operand


ASSERTING: Mapping[str, Keyword] = {
    "type": type_,
    "enum": enum,
    "const": const,
    "required": required,
    "dependentRequired": dependent_required,
    "uniqueItems": unique_items,
    "pattern": pattern,
    "multipleOf": multiple_of,
    "minimum": _make_measuring_keyword(_number_or_none, _at_least, "{} is less than the minimum of {}"),
    "maximum": _make_measuring_keyword(_number_or_none, _at_most, "{} is greater than the maximum of {}"),
    "exclusiveMinimum": _make_measuring_keyword(
        _number_or_none, lambda found, operand: found > operand, "{} is less than or equal to the minimum of {}"
    ),
    "exclusiveMaximum": _make_measuring_keyword(
        _number_or_none, lambda found, operand: found < operand, "{} is greater than or equal to the maximum of {}"
    ),
    "minLength": _make_measuring_keyword(_make_length_measure(str), _at_least, "{} is too short: the least is {}"),
    "maxLength": _make_measuring_keyword(_make_length_measure(str), _at_most, "{} is too long: the most is {}"),
    "minItems": _make_measuring_keyword(_make_length_measure(list), _at_least, "{} is too short: the least is {}"),
    "maxItems": _make_measuring_keyword(_make_length_measure(list), _at_most, "{} is too long: the most is {}"),
    "minProperties": _make_measuring_keyword(
        _make_length_measure(dict), _at_least, "{} has too few properties: the least is {}"
    ),
    "maxProperties": _make_measuring_keyword(
        _make_length_measure(dict), _at_most, "{} has too many properties: the most is {}"
    ),
}
