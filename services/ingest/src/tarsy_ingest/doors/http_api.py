"""Alerts over HTTP. 202 means that Kafka has the alert."""

import json
from collections.abc import Callable
from dataclasses import replace

from fastapi import APIRouter, Request, Response
from pydantic import JsonValue

from tarsy_audit.trail import AuditTrail
from tarsy_bus.tracing import HEADER
from tarsy_contracts.api.alerts import AlertAccepted, create_alert_accepted
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.doors.alert_doors import SAME_SESSION, TAKING, add_doors, document_body
from tarsy_ingest.doors.body_intake import BodyIntake, Secrets, session_of
from tarsy_ingest.doors.http_body import read_body
from tarsy_ingest.doors.http_problems import alert_route
from tarsy_ingest.doors.refusal_log import RefusalLog
from tarsy_ingest.doors.write_gate import WriteGate
from tarsy_ingest.formats import json_alert
from tarsy_ingest.formats.alert_format import AlertFormat
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.formats.charsets import to_utf8
from tarsy_ingest.formats.media_types import UNSAID, MediaTypes, media_type_of
from tarsy_ingest.formats.plain_text import text_alert, text_of
from tarsy_ingest.formats.submission import Submission, may_be_ours, read_submission
from tarsy_ingest.intake.alert_intake import Intake
from tarsy_ingest.intake.notice_intake import refusals_counted
from tarsy_ingest.intake.sender_rates import SenderRates, sender_of
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.raw_alert import BYTE_ORDER_MARK, AlertRejectedError, RawAlert, parse_json
from tarsy_service.access.caller import Caller, KeyedBodies, caller_of
from tarsy_service.http.described_routes import AUTHOR, KEY, OTHER_BODY, describe_answers, describe_headers

SUBMISSION = MediaTypes(("application/json", "text/plain"), suffix="+json", prefix="text/")
UNTYPED = (*UNSAID, "application/octet-stream")


def alerts_router(
    intake: Intake,
    rules: Callable[[], AlertRules],
    metrics: Metrics,
    mask: Callable[[str], str],
    gate: WriteGate,
    rates: SenderRates,
    secrets: Secrets,
    trail: AuditTrail,
) -> APIRouter:
    """`rules`: those that hold now."""
    refusals = RefusalLog(metrics, mask)
    router = APIRouter(prefix="/api/v1/alerts", route_class=alert_route(mask, refusals), tags=["alerts"])
    bodies = KeyedBodies()
    taking = BodyIntake(
        intake=intake,
        rules=rules,
        metrics=metrics,
        gate=gate,
        rates=rates,
        bodies=bodies,
        secrets=secrets,
        refusals=refusals,
    )
    body_of_alert = document_body(SUBMISSION.names, Submission)

    @router.post(
        "",
        status_code=202,
        response_model=AlertAccepted,
        response_model_exclude_none=True,
        summary="Send an alert to be investigated",
        responses=describe_answers({202: "Kafka has the alert."}, {**TAKING, **OTHER_BODY}),
        openapi_extra=body_of_alert | describe_headers({KEY: SAME_SESSION, **AUTHOR}),
    )
    async def submit(request: Request, alert_type: str | None = None) -> AlertAccepted | Response:
        """`alert_type` is that of an alert in plain text. One in JSON has its own.

        JSON of another sender is taken as its own door takes it, and answered so.
        """
        with refusals_counted(metrics, "api"):
            rates.take(sender_of(request.scope))
            raw = await read_body(request)
            text = to_utf8(raw, request.headers)
        foreign = _find_foreign_format(media_type_of(request.headers), text)
        if foreign is not None:
            return await taking.take(foreign, request, raw, alert_type)
        with refusals_counted(metrics, "api"):
            return await submit_ours(request, text, alert_type)

    async def submit_ours(request: Request, text: bytes, alert_type: str | None) -> AlertAccepted:
        caller = caller_of(request)
        session_id = session_of(caller)
        raw_alert, body = _read_alert(media_type_of(request.headers), text, rules(), caller, session_id, alert_type)
        if caller.key:
            bodies.check(session_id, json.dumps(body, sort_keys=True).encode())
            # A key names the request: another key asks for another investigation.
            raw_alert = replace(raw_alert, same=None)
        await intake.require_capacity("api", [raw_alert])
        delivery_id = caller.key or session_id
        async with gate.admitted("api"):
            await trail.record(request)
            cause = request.headers.get(HEADER)
            accepted = await intake.accept(raw_alert, delivery_id=delivery_id, cause=cause)
        return create_alert_accepted(accepted.session_id, accepted.status, accepted.session_status)

    add_doors(router, taking)
    return router


def _find_foreign_format(media_type: str, raw: bytes) -> AlertFormat | None:
    """The format of JSON that cannot be meant as ours; None where it can, or where it is no JSON."""
    if not SUBMISSION.include(media_type) or media_type.startswith("text/"):
        return None
    try:
        value = parse_json(raw)
    except AlertRejectedError:
        return None
    if may_be_ours(value):
        return None
    return next((form for form in FORMATS if form.matches(value)), json_alert.FORMAT)


def _read_alert(
    media_type: str, raw: bytes, rules: AlertRules, caller: Caller, session_id: str, alert_type: str | None
) -> tuple[RawAlert, JsonValue]:
    """The alert, and what another body under the same key is compared with. Raises ProblemError, AlertRejectedError."""
    if _is_text(media_type, raw):
        text = text_of(raw)
        return text_alert(text, rules.types, session_id=session_id, author=caller.name, alert_type=alert_type), text
    SUBMISSION.require(media_type)
    body = parse_json(raw)
    return read_submission(body, rules, session_id=session_id, author=caller.name), body


def _is_text(media_type: str, raw: bytes) -> bool:
    """`curl -d` names a type that says nothing: what does not begin as JSON is text then. JSON says that it is."""
    if media_type in UNTYPED and media_type:
        return raw.removeprefix(BYTE_ORDER_MARK).lstrip()[:1] not in (b"", b"{", b"[")
    return media_type.startswith("text/")
