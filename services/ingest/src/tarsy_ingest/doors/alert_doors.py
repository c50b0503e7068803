"""A door for each alert format: `POST /api/v1/alerts/NAME`."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response

from tarsy_ingest.doors.body_intake import PARTLY, BodyIntake
from tarsy_ingest.doors.http_body import read_body
from tarsy_ingest.formats import json_alert
from tarsy_ingest.formats.alert_format import AlertFormat
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.formats.media_types import media_type_of
from tarsy_ingest.intake.notice_intake import refusals_counted
from tarsy_ingest.intake.sender_rates import sender_of
from tarsy_ingest.raw_alert import Payload
from tarsy_service.http.described_routes import (
    AUTHOR,
    INVALID,
    KEY,
    OTHER_BODY,
    Responses,
    describe_answers,
    describe_headers,
)
from tarsy_service.http.problems import ProblemError

TAKING: Mapping[int, str] = {
    400: INVALID,
    413: "The body, or the alert in it, is too large.",
    415: "The door does not take this content type; `detail` lists those it takes.",
    429: "The sender sends more alerts a second than it may: `Retry-After` says when to send it again.",
    503: "Kafka has not acknowledged the alert, or the queue is full: send it again, with the same identity.",
}
ACCEPTED: Mapping[int, str] = {
    202: "Kafka has every alert that is to be investigated.",
    PARTLY: "Some of the alerts are wrong.",
}
SAME_SESSION = "the same key of the same caller meets the same session"


def add_doors(router: APIRouter, intake: BodyIntake) -> None:
    _add_door_of_configuration(router, intake)
    for form in FORMATS:
        for path in form.paths:
            router.add_api_route(
                f"/{path}",
                _make_route(form, intake),
                methods=["POST"],
                name=path,
                status_code=202,
                response_model=form.answer.model,
                response_model_exclude_none=True,
                summary=form.summary,
                responses=_describe_answers_of(form),
                openapi_extra=_describe_request_of(form),
            )


def _make_route(form: AlertFormat, intake: BodyIntake) -> Callable[[Request, str | None], Awaitable[Response]]:
    async def take(request: Request, alert_type: str | None = None) -> Response:
        return await _take_alert(form, intake, request, alert_type)

    return take


def _describe_answers_of(form: AlertFormat) -> Responses:
    unsigned = {401: "The body is not signed with a configured secret."} if form.verify is not None else {}
    return describe_answers(ACCEPTED, {**TAKING, **unsigned, **OTHER_BODY}, models={PARTLY: form.answer.model})


def _describe_request_of(form: AlertFormat) -> dict[str, object]:
    key = SAME_SESSION if form.body is None else "for an alert without an identity of its own"
    return document_body(form.media_types.names, form.body) | describe_headers({KEY: key, **AUTHOR})


def _add_door_of_configuration(router: APIRouter, intake: BodyIntake) -> None:
    form = json_alert.FORMAT

    @router.post(
        f"/{form.source}/{{door}}",
        name=form.source,
        status_code=202,
        response_model=form.answer.model,
        summary="Send JSON of a sender whose names are in the configuration",
        responses=describe_answers(
            ACCEPTED,
            {**TAKING, **OTHER_BODY, 404: "The configuration has no such door."},
            models={PARTLY: form.answer.model},
        ),
        openapi_extra=document_body(form.media_types.names, form.body)
        | describe_headers({KEY: SAME_SESSION, **AUTHOR}),
    )
    async def take(request: Request, door: str, alert_type: str | None = None) -> Response:
        """`door` is one of `alert_doors` in the configuration."""
        table = intake.rules().doors.get(door)
        if table is None:
            raise ProblemError(404, "Not Found", "alert_doors of the configuration has no door of this name.")
        return await _take_alert(json_alert.format_of(table), intake, request, alert_type)


async def _take_alert(form: AlertFormat, intake: BodyIntake, request: Request, alert_type: str | None) -> Response:
    with refusals_counted(intake.metrics, form.source):
        intake.rates.take(sender_of(request.scope))
        if not form.has_own_type(request.headers):
            form.media_types.require(media_type_of(request.headers))
        raw = await read_body(request)
    return await intake.take(form, request, raw, alert_type)


def document_body(media_types: tuple[str, ...], form: type[Payload] | None) -> dict[str, object]:
    """For the OpenAPI document: the handlers read the body themselves, to stop reading when it is too long."""
    content = {media_type: {"schema": _body_schema(media_type, form)} for media_type in media_types}
    return {"requestBody": {"required": True, "content": content}}


@cache
def _body_schema(media_type: str, form: type[Payload] | None) -> Any:
    if form is None and media_type.endswith("json"):
        return {}
    if form is None or media_type.startswith("text/"):
        return {"type": "string"}
    schema = form.model_json_schema()
    inlined = _inline_definitions(schema, schema.pop("$defs", {}))
    return {"type": "array", "items": inlined} if "-batch+" in media_type else inlined


def _inline_definitions(schema: Any, definitions: dict[str, Any]) -> Any:
    """Inlines what a schema refers to: its own definitions are not at the top of the document."""
    match schema:
        case {"$ref": str(name)}:
            return _inline_definitions(definitions[name.rpartition("/")[2]], definitions)
        case dict():
            return {key: _inline_definitions(value, definitions) for key, value in schema.items()}
        case list():
            return [_inline_definitions(value, definitions) for value in schema]
        case _:
            return schema
