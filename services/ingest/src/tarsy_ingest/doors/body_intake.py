"""Intake of a sender's body: it is read as its format, and each of its alerts is taken."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from uuid import uuid4

from fastapi import Request, Response

from tarsy_bus.tracing import HEADER
from tarsy_contracts.alert import AlertSource
from tarsy_contracts.api.alerts import WebhookAccepted
from tarsy_contracts.wire.ids import session_of_idempotency_key
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.doors.refusal_log import RefusalLog
from tarsy_ingest.doors.write_gate import WriteGate
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices
from tarsy_ingest.formats.charsets import to_utf8
from tarsy_ingest.intake.alert_intake import Intake
from tarsy_ingest.intake.notice_intake import accept_notices, refusals_counted
from tarsy_ingest.intake.sender_rates import SenderRates, sender_of
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.raw_alert import AlertRejectedError, RawAlert, RejectedAlert
from tarsy_service.access.caller import Caller, KeyedBodies, caller_of

TAKEN, PARTLY = 202, 207
"""The second: some alerts of a webhook are wrong, and the others are taken. Senders see a success, and repeat nothing.
"""

type Secrets = Mapping[AlertSource, tuple[bytes, ...]]
"""By format: the secrets that its senders sign with. Without one, its bodies need no signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyIntake:
    """`rules`: those that hold now. `bodies`: those of idempotency keys."""

    intake: Intake
    rules: Callable[[], AlertRules]
    metrics: Metrics
    gate: WriteGate
    rates: SenderRates
    bodies: KeyedBodies
    secrets: Secrets
    refusals: RefusalLog

    async def take(self, form: AlertFormat, request: Request, raw: bytes, alert_type: str | None) -> Response:
        """Returns when Kafka acknowledged its alerts. Raises what the intake raises, and AlertRejectedError."""
        caller = caller_of(request, otherwise="")
        sender = sender_of(request.scope)
        found, notices = self._read_notices(form, request, raw, alert_type, caller)
        self.rates.charge(sender, len(notices) - 1)
        await self.intake.require_capacity(
            form.source, [one.alert for one in notices if isinstance(one.alert, RawAlert)]
        )
        delivery_id = caller.key or str(uuid4())
        async with self.gate.admitted(form.source):
            answers = await accept_notices(self.intake, self.metrics, notices, delivery_id, request.headers.get(HEADER))
        self._note_rejected(form, sender, notices)
        taken = form.answer.of(WebhookAccepted(alerts=tuple(answers), truncated_alerts=found.truncated_alerts))
        status = PARTLY if any(one.status == "refused" for one in answers) else TAKEN
        return Response(taken.model_dump_json(exclude_none=True), status, media_type="application/json")

    def _read_notices(
        self, form: AlertFormat, request: Request, raw: bytes, alert_type: str | None, caller: Caller
    ) -> tuple[Notices, tuple[Notice, ...]]:
        session_id = session_of(caller)
        with refusals_counted(self.metrics, form.source):
            secrets = self.secrets.get(form.source, ())
            if form.verify is not None and secrets:
                form.verify(raw, request.headers, secrets)
            body = AlertBody(
                value=form.parse(to_utf8(raw, request.headers), request.headers),
                session_id=session_id,
                author=caller.name or None,
                alert_type=alert_type,
                headers=request.headers,
            )
            found = form.read(body, self.rules().types)
        if not caller.key or not any(_is_of(notice, session_id) for notice in found.notices):
            return found, found.notices
        self.bodies.check(session_id, raw)
        return found, tuple(_with_id_of_key(notice, session_id) for notice in found.notices)

    def _note_rejected(self, form: AlertFormat, sender: str, notices: tuple[Notice, ...]) -> None:
        for notice in notices:
            if isinstance(notice.alert, RejectedAlert):
                self.refusals.note(form.source, sender, PARTLY, str(AlertRejectedError(*notice.alert.mistakes)))


def session_of(caller: Caller) -> str:
    """For an alert without an identity of its own."""
    return session_of_idempotency_key(caller=caller.scope, key=caller.key) if caller.key else str(uuid4())


def _with_id_of_key(notice: Notice, session_id: str) -> Notice:
    """A key names the request: another key asks for another investigation."""
    match notice.alert:
        case RawAlert(session_id=own) as alert if own == session_id:
            return replace(notice, alert=replace(alert, same=None))
        case _:
            return notice


def _is_of(notice: Notice, session_id: str) -> bool:
    return isinstance(notice.alert, RawAlert) and notice.alert.session_id == session_id
