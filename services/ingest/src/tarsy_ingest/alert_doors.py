"""A door for each alert format: `POST /api/v1/alerts/NAME`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request, Response

from tarsy_bus.tracing import HEADER
from tarsy_contracts.alert import AlertSource
from tarsy_contracts.api.alerts import WebhookAccepted
from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.ids import session_of_idempotency_key
from tarsy_ingest.alert_format import AlertBody, AlertFormat, Notice
from tarsy_ingest.alert_formats import FORMATS
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.http_body import read_body
from tarsy_ingest.intake import Intake
from tarsy_ingest.media_types import media_type_of
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.notice_intake import accept_notices, refusals_counted
from tarsy_ingest.raw_alert import AlertRejectedError, Payload, RawAlert, RejectedAlert
from tarsy_ingest.refusal_log import RefusalLog
from tarsy_ingest.sender_rates import SenderRates, sender_of
from tarsy_ingest.write_gate import WriteGate
from tarsy_service.caller import Caller, KeyedBodies, caller_of

PARTLY = 207
"""Some alerts of a webhook are wrong, and the others are taken. Senders see a success, and repeat nothing."""

type Secrets = Mapping[AlertSource, tuple[bytes, ...]]
"""By format: the secrets that its senders sign with. Without one, its bodies need no signature."""


def add_doors(
    router: APIRouter,
    intake: Intake,
    rules: Callable[[], AlertRules],
    metrics: Metrics,
    gate: WriteGate,
    rates: SenderRates,
    bodies: KeyedBodies,
    secrets: Secrets,
    refusals: RefusalLog,
) -> None:
    for form in FORMATS:
        door = _door(form, intake, rules, metrics, gate, rates, bodies, secrets.get(form.source, ()), refusals)
        for path in form.paths:
            router.add_api_route(
                f"/{path}",
                door,
                methods=["POST"],
                name=path,
                status_code=202,
                response_model=form.answer.model,
                responses={PARTLY: {"model": form.answer.model, "description": "Some of the alerts are wrong."}},
                openapi_extra=document_body(form.media_types.names, form.body),
                response_model_exclude_none=True,
            )


def _door(
    form: AlertFormat,
    intake: Intake,
    rules: Callable[[], AlertRules],
    metrics: Metrics,
    gate: WriteGate,
    rates: SenderRates,
    bodies: KeyedBodies,
    secrets: tuple[bytes, ...],
    refusals: RefusalLog,
) -> Callable[[Request, str | None], Awaitable[ApiModel | Response]]:
    async def take(request: Request, alert_type: str | None = None) -> ApiModel | Response:
        caller = caller_of(request, otherwise="")
        session_id = session_of(caller)
        sender = sender_of(request.scope)
        with refusals_counted(metrics, form.source):
            rates.take(sender)
            if not form.has_own_type(request.headers):
                form.media_types.require(media_type_of(request.headers))
            raw = await read_body(request)
            if form.verify is not None and secrets:
                form.verify(raw, request.headers, secrets)
            body = AlertBody(
                value=form.parse(raw, request.headers),
                session_id=session_id,
                author=caller.name or None,
                alert_type=alert_type,
                headers=request.headers,
            )
            found = form.read(body, rules().types)
        notices = found.notices
        rates.charge(sender, len(notices) - 1)
        if caller.key and any(_is_of(notice, session_id) for notice in notices):
            bodies.check(session_id, raw)
            notices = tuple(_named_by_key(notice, session_id) for notice in notices)
        await intake.require_room(form.source, [one.alert for one in notices if isinstance(one.alert, RawAlert)])
        delivery_id = caller.key or str(uuid4())
        cause = request.headers.get(HEADER)
        async with gate.admitted(form.source):
            answers = await accept_notices(intake, metrics, notices, delivery_id, cause)
        for notice in notices:
            if isinstance(notice.alert, RejectedAlert):
                refusals.note(form.source, sender, PARTLY, str(AlertRejectedError(*notice.alert.mistakes)))
        taken = form.answer.of(WebhookAccepted(alerts=tuple(answers), truncated_alerts=found.truncated_alerts))
        return _partly(taken) if any(one.status == "refused" for one in answers) else taken

    return take


def _partly(taken: ApiModel) -> Response:
    return Response(taken.model_dump_json(exclude_none=True), PARTLY, media_type="application/json")


def session_of(caller: Caller) -> str:
    """For an alert without an identity of its own."""
    return session_of_idempotency_key(caller=caller.scope, key=caller.key) if caller.key else str(uuid4())


def _named_by_key(notice: Notice, session_id: str) -> Notice:
    """A key names the request: whoever takes another one wants another investigation."""
    match notice.alert:
        case RawAlert(session_id=own) as alert if own == session_id:
            return replace(notice, alert=replace(alert, same=None))
        case _:
            return notice


def _is_of(notice: Notice, session_id: str) -> bool:
    return isinstance(notice.alert, RawAlert) and notice.alert.session_id == session_id


def document_body(media_types: tuple[str, ...], form: type[Payload] | None) -> dict[str, object]:
    """For the OpenAPI document: the handlers read the body themselves, to stop reading when it is too long."""
    content = {media_type: {"schema": _schema(media_type, form)} for media_type in media_types}
    return {"requestBody": {"required": True, "content": content}}


@cache
def _schema(media_type: str, form: type[Payload] | None) -> Any:
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
