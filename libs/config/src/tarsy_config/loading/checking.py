"""Converts pydantic's errors of a document to mistakes with lines."""

from types import UnionType
from typing import Annotated, Any, TypeAliasType, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath, suggestion
from tarsy_config.values import WRONG, Section


def check[S: Section](document: Document, kind: type[S]) -> S | None:
    """The document as `kind`, or None and its mistakes noted in the document."""
    try:
        return kind.model_validate(document.data)
    except ValidationError as problem:
        for row in problem.errors(include_url=False, include_input=False):
            path = _path_of(row)
            document.wrong(path, *_problem_and_remedy(row, path, kind))
        return None


def _path_of(row: ErrorDetails) -> KeyPath:
    """Pydantic marks a wrong key of a mapping with a last part of its own."""
    path = tuple(part for part in row["loc"] if part != "[key]")
    key = row.get("ctx", {}).get("key")
    return (*path, key) if key else path


def _problem_and_remedy(row: ErrorDetails, path: KeyPath, kind: type[Section]) -> tuple[str, str]:
    """The problem and the remedy."""
    match row["type"]:
        case t if t == WRONG:
            return row["ctx"]["problem"], row["ctx"]["remedy"]
        case "extra_forbidden":
            return "unknown key", suggestion(str(path[-1]), _known_keys(kind, path[:-1]))
        case "missing":
            return "is missing", "add it"
        case "string_type":
            return "is not text", "write the value in quotes"
        case "model_type" | "dict_type" | "model_attributes_type":
            return "is not a section", "write keys with values below it"
        case "tuple_type":
            return "is not a list", "write [a, b], or one line with a dash for each item"
        case _:
            return "is not accepted", row["msg"].replace("Input should", "it should", 1)


def _known_keys(annotation: Any, path: KeyPath) -> list[str]:
    """The keys of the section at a place, found by walking the models' annotations."""
    for part in path:
        annotation = _bare_annotation(_annotation_below(annotation, part))
    return [one.alias or name for name, one in annotation.model_fields.items()] if _is_section(annotation) else []


def _annotation_below(annotation: Any, part: str | int) -> Any:
    if _is_section(annotation):
        return annotation.model_fields[part].annotation
    inside = get_args(annotation)  # of dict[key, value] or tuple[item, ...]
    return inside[1] if isinstance(part, str) else inside[0]


def _bare_annotation(annotation: Any) -> Any:
    """The type without its name, its other checks, and its optionality."""
    if isinstance(annotation, TypeAliasType):
        return _bare_annotation(annotation.__value__)
    if get_origin(annotation) is Annotated:
        return _bare_annotation(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return _bare_annotation(get_args(annotation)[0])
    return annotation


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)
