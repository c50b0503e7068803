"""Descriptions of routes in the OpenAPI document, beside their types: answers, problems, headers that are read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, JsonValue

from tarsy_service.http.problems import MEDIA_TYPE

INVALID = "The request is not valid; `errors` points at each mistake."
NOT_JSON: Mapping[int, str] = {415: "`Content-Type` does not say that the body is JSON."}
OTHER_BODY: Mapping[int, str] = {422: "The same key was used with another body before."}
KEY = "Idempotency-Key"
AUTHOR: Mapping[str, str] = {
    "X-Forwarded-User": "who asks, as the proxy in front of TARSy says; X-Forwarded-Email and X-Remote-User work, too"
}
NONE: Mapping[str, str] = MappingProxyType({})
NO_MODELS: Mapping[int, type[BaseModel]] = MappingProxyType({})
type Responses = dict[int | str, dict[str, Any]]
PROBLEM: JsonValue = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}


def describe_answers(
    answers: str | Mapping[int, str],
    problems: Mapping[int, str],
    *,
    models: Mapping[int, type[BaseModel]] = NO_MODELS,
    headers: Mapping[str, str] = NONE,
) -> Responses:
    """`responses` of a route. `answers` are those of success, a text that of 200; `problems` are problem documents.

    `models`: of answers that have another one than the route. `headers`: of the answers of success.
    """
    told = {200: answers} if isinstance(answers, str) else answers
    more = {"headers": {name: _text_schema(meaning) for name, meaning in headers.items()}} if headers else {}
    found: Responses = {}
    for status, meaning in told.items():
        found[status] = {"description": meaning, **more} | ({"model": models[status]} if status in models else {})
    for status, meaning in problems.items():
        found[status] = {"description": meaning, "content": PROBLEM}
    return found


def describe_headers(read: Mapping[str, str]) -> dict[str, Any]:
    """`openapi_extra` of a route whose handler reads these headers itself."""
    return {
        "parameters": [{"name": name, "in": "header", "required": False, **_text_schema(read[name])} for name in read]
    }


def _text_schema(meaning: str) -> dict[str, Any]:
    return {"description": meaning, "schema": {"type": "string"}}
