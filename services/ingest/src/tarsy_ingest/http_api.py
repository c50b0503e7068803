"""Alerts over HTTP. 202 means that Kafka has the alert."""

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request

from tarsy_bus.publisher import TooLargeError
from tarsy_bus.tracing import HEADER
from tarsy_contracts.alert import AlertSource
from tarsy_contracts.api.alerts import JOINED, AlertAccepted, WebhookAccepted, WebhookAlertAccepted, alert_accepted
from tarsy_contracts.ids import session_of_idempotency_key
from tarsy_ingest.alert_format import AlertFormat, Notice
from tarsy_ingest.alert_formats import FORMATS
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.http_body import read_body
from tarsy_ingest.http_problems import alert_route
from tarsy_ingest.intake import Intake
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.raw_alert import AlertRejectedError, AlertResolution, Payload, parse_json
from tarsy_ingest.submission import Submission, read_submission
from tarsy_service.caller import KeyedBodies, caller_of


def alerts_router(
    intake: Intake, rules: Callable[[], AlertRules], metrics: Metrics, mask: Callable[[str], str]
) -> APIRouter:
    """`rules`: those that hold now."""
    router = APIRouter(prefix="/api/v1/alerts", route_class=alert_route(mask), tags=["alerts"])
    bodies = KeyedBodies()

    @router.post("", status_code=202, openapi_extra=_body_of(Submission))
    async def submit(request: Request) -> AlertAccepted:
        caller = caller_of(request.headers)
        key = caller.key
        session_id = session_of_idempotency_key(caller=caller.scope, key=key) if key else str(uuid4())
        with _refusals_counted(metrics, "api"):
            body = parse_json(await read_body(request))
            raw_alert = read_submission(body, rules(), session_id=session_id, author=caller.name)
            if key:
                bodies.check(session_id, json.dumps(body, sort_keys=True).encode())
            # A key names the request: whoever takes another one wants another investigation.
            raw_alert = raw_alert if key else replace(raw_alert, same="content")
            accepted = await intake.accept(raw_alert, delivery_id=key or session_id, cause=request.headers.get(HEADER))
        return alert_accepted(accepted.session_id, accepted.status)

    for form in FORMATS:
        router.add_api_route(
            f"/{form.source}",
            _webhook_door(form, intake, rules, metrics),
            methods=["POST"],
            name=form.source,
            status_code=202,
            openapi_extra=_body_of(form.body),
            response_model_exclude_none=True,
        )
    return router


def _webhook_door(
    form: AlertFormat, intake: Intake, rules: Callable[[], AlertRules], metrics: Metrics
) -> Callable[[Request, str | None], Awaitable[WebhookAccepted]]:
    async def take(request: Request, alert_type: str | None = None) -> WebhookAccepted:
        with _refusals_counted(metrics, form.source):
            body = parse_json(await read_body(request))
            author = caller_of(request.headers, otherwise=form.source).name
            found = form.read(body, rules().types, author, alert_type)
        delivery_id = str(uuid4())
        cause = request.headers.get(HEADER)
        answers = [await _accept_notice(intake, metrics, notice, delivery_id, cause) for notice in found.notices]
        return WebhookAccepted(alerts=tuple(answers), truncated_alerts=found.truncated_alerts)

    return take


async def _accept_notice(
    intake: Intake, metrics: Metrics, notice: Notice, delivery_id: str, cause: str | None
) -> WebhookAlertAccepted:
    alert = notice.alert
    if isinstance(alert, AlertResolution):
        told = await intake.report_resolution(alert)
        metrics.count(notice.source, "resolved")
        message = f"The alert is resolved: its session ({told}) is told, if there is one."
        return WebhookAlertAccepted(fingerprint=notice.fingerprint, status="resolved", message=message)
    with _refusals_counted(metrics, notice.source):
        accepted = await intake.accept(alert, delivery_id=delivery_id, cause=cause)
    message = JOINED if accepted.status == "joined" else notice.message
    return WebhookAlertAccepted(
        fingerprint=notice.fingerprint, status=accepted.status, session_id=accepted.session_id, message=message
    )


@contextmanager
def _refusals_counted(metrics: Metrics, source: AlertSource) -> Iterator[None]:
    try:
        yield
    except (AlertRejectedError, TooLargeError):
        metrics.count(source, "refused")
        raise


def _body_of(form: type[Payload]) -> dict[str, object]:
    """For the OpenAPI document: the handlers read the body themselves, to stop reading when it is too long."""
    schema = form.model_json_schema()
    content = {"application/json": {"schema": _inlined(schema, schema.pop("$defs", {}))}}
    return {"requestBody": {"required": True, "content": content}}


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
