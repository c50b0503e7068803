"""Descriptions of routes in the OpenAPI document, beside their types: answers, problems, headers that are read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypedDict

from pydantic import BaseModel, JsonValue

from tarsy_service.problems import MEDIA_TYPE

INVALID = "The request is not valid; `errors` points at each mistake."
NOT_JSON: Mapping[int, str] = {415: "The body does not say that it is JSON (`Content-Type`)."}
OTHER_BODY: Mapping[int, str] = {422: "The same key came with another body before."}
KEY = "Idempotency-Key"
AUTHOR: Mapping[str, str] = {
    "X-Forwarded-User": "who asks, as the proxy in front says; X-Forwarded-Email and X-Remote-User do, too"
}
NONE: Mapping[str, str] = MappingProxyType({})
NO_MODELS: Mapping[int, type[BaseModel]] = MappingProxyType({})
PROBLEM: JsonValue = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}


class RouteDescription(TypedDict):
    """Parameters of FastAPI's routes."""

    summary: str
    responses: dict[int | str, dict[str, Any]]
    openapi_extra: dict[str, Any]


def describe(
    summary: str,
    answers: str | Mapping[int, str],
    problems: Mapping[int, str],
    *,
    models: Mapping[int, type[BaseModel]] = NO_MODELS,
    headers: Mapping[str, str] = NONE,
    answer_headers: Mapping[str, str] = NONE,
    body: Mapping[str, Any] = MappingProxyType({}),
) -> RouteDescription:
    """`answers` are those of success, a text that of 200; `problems` are application/problem+json (RFC 9457).

    `models`: of answers that have another one than the route. `body`: of handlers that read it themselves.
    """
    shown = {"headers": {name: _text(meaning) for name, meaning in answer_headers.items()}} if answer_headers else {}
    told: dict[int | str, dict[str, Any]] = {
        status: {"description": meaning, **({"model": models[status]} if status in models else {}), **shown}
        for status, meaning in ({200: answers} if isinstance(answers, str) else answers).items()
    }
    told |= {status: {"description": meaning, "content": PROBLEM} for status, meaning in problems.items()}
    read = [{"name": name, "in": "header", "required": False} | _text(meaning) for name, meaning in headers.items()]
    return {
        "summary": summary,
        "responses": told,
        "openapi_extra": {**body, **({"parameters": read} if read else {})},
    }


def _text(meaning: str) -> dict[str, Any]:
    return {"description": meaning, "schema": {"type": "string"}}
