"""A door for each alert format: `POST /api/v1/alerts/NAME`."""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response

from tarsy_ingest import json_alert
from tarsy_ingest.alert_format import AlertFormat
from tarsy_ingest.alert_formats import FORMATS
from tarsy_ingest.body_intake import PARTLY, BodyIntake
from tarsy_ingest.http_body import read_body
from tarsy_ingest.media_types import media_type_of
from tarsy_ingest.notice_intake import refusals_counted
from tarsy_ingest.raw_alert import Payload
from tarsy_ingest.sender_rates import sender_of
from tarsy_service.problems import ProblemError


def add_doors(router: APIRouter, intake: BodyIntake) -> None:
    _add_door_of_configuration(router, intake)
    for form in FORMATS:
        for path in form.paths:
            router.add_api_route(
                f"/{path}",
                _door(form, intake),
                methods=["POST"],
                name=path,
                status_code=202,
                response_model=form.answer.model,
                responses={PARTLY: {"model": form.answer.model, "description": "Some of the alerts are wrong."}},
                openapi_extra=document_body(form.media_types.names, form.body),
                response_model_exclude_none=True,
            )


def _door(form: AlertFormat, intake: BodyIntake) -> Callable[[Request, str | None], Awaitable[Response]]:
    async def take(request: Request, alert_type: str | None = None) -> Response:
        return await _take(form, intake, request, alert_type)

    return take


def _add_door_of_configuration(router: APIRouter, intake: BodyIntake) -> None:
    form = json_alert.FORMAT

    @router.post(
        f"/{form.source}/{{door}}",
        name=form.source,
        status_code=202,
        response_model=form.answer.model,
        responses={PARTLY: {"model": form.answer.model, "description": "Some of the alerts are wrong."}},
        openapi_extra=document_body(form.media_types.names, form.body),
    )
    async def take(request: Request, door: str, alert_type: str | None = None) -> Response:
        """`door` is one of `alert_doors` in the configuration."""
        table = intake.rules().doors.get(door)
        if table is None:
            raise ProblemError(404, "Not Found", "alert_doors of the configuration has no door of this name.")
        return await _take(json_alert.format_of(table), intake, request, alert_type)


async def _take(form: AlertFormat, intake: BodyIntake, request: Request, alert_type: str | None) -> Response:
    with refusals_counted(intake.metrics, form.source):
        intake.rates.take(sender_of(request.scope))
        if not form.has_own_type(request.headers):
            form.media_types.require(media_type_of(request.headers))
        raw = await read_body(request)
    return await intake.take(form, request, raw, alert_type)


def document_body(media_types: tuple[str, ...], form: type[Payload] | None) -> dict[str, object]:
    """For the OpenAPI document: the handlers read the body themselves, to stop reading when it is too long."""
    content = {media_type: {"schema": _schema(media_type, form)} for media_type in media_types}
    return {"requestBody": {"required": True, "content": content}}


@cache
def _schema(media_type: str, form: type[Payload] | None) -> Any:
    if form is None and media_type.endswith("json"):
        return {}
    if form is None or media_type.startswith("text/"):
        return {"type": "string"}
    schema = form.model_json_schema()
    inlined = _inlined(schema, schema.pop("$defs", {}))
    return {"type": "array", "items": inlined} if "-batch+" in media_type else inlined


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """Inlines what a schema refers to: its own definitions are not at the top of the document."""
    match schema:
        case {"$ref": str(name)}:
            return _inlined(definitions[name.rpartition("/")[2]], definitions)
        case dict():
            return {key: _inlined(value, definitions) for key, value in schema.items()}
        case list():
            return [_inlined(value, definitions) for value in schema]
        case _:
            return schema
