"""Sending alerts to the API."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

from pydantic import JsonValue, ValidationError

from tarsy_cli.api import ApiError, ConnectionCutError, UnavailableError, post, retry
from tarsy_contracts.api.requests import RerunRequest


@dataclass(frozen=True, slots=True)
class SubmittedAlert:
    """An alert that was taken in. `joined`: its session was there before; then with `session_status`, where known."""

    session_id: str
    joined: bool = False
    session_status: str = ""


def submit_file(api: str, content: bytes) -> list[str]:
    """The ids of the sessions that investigate it. Raises ApiError."""
    return [one.session_id for one in submit_alerts(api, content)]


def submit_alerts(api: str, content: bytes) -> list[SubmittedAlert]:
    """A webhook (Alertmanager, Grafana) brings one for each firing alert. Raises ApiError."""
    try:
        body: JsonValue = json.loads(content)
    except ValueError:
        return [_submit_one(api, {"data": content.decode(errors="replace")})]
    if isinstance(body, dict) and "alerts" in body:
        return _submit_webhook(api, body)
    if isinstance(body, dict) and "data" in body:
        return _submit_body(api, body)
    return [_submit_one(api, {"data": content.decode(errors="replace")})]


def submit_words(api: str, text: str, *, title: str = "", severity: str = "") -> SubmittedAlert:
    """An alert that a person has written. Raises ApiError."""
    named = {"title": title, "severity": severity}
    return _submit_one(api, {"data": text, **{name: value for name, value in named.items() if value}})


def build_rerun_request(mcp_servers: Sequence[str], **named: str | None) -> RerunRequest:
    """The request with what was named: fields of a RerunRequest, and servers. Raises ApiError."""
    mcp: dict[str, JsonValue] = {"mcp": {"servers": [{"name": name} for name in mcp_servers]}} if mcp_servers else {}
    try:
        return RerunRequest.model_validate({**mcp, **{name: value for name, value in named.items() if value}})
    except ValidationError as problem:
        wrong = problem.errors(include_url=False, include_input=False)
        raise ApiError("; ".join(f"{row['loc'][0]}: {row['msg']}" for row in wrong)) from None


def run_again(api: str, session_id: str, changes: RerunRequest) -> str:
    """The id of the new session. Raises ApiError, also for a name that the configuration does not have."""
    body: JsonValue = changes.model_dump(mode="json", exclude_unset=True)
    send = partial(post, f"{api}/sessions/{session_id}/rerun", body, idempotency_key=str(uuid4()))
    return _session_id(retry(send, UnavailableError))


def _submit_body(api: str, body: JsonValue) -> list[SubmittedAlert]:
    """A body of ours has one alert; that of another sender is answered as a webhook."""
    send = partial(post, f"{api}/alerts", body, idempotency_key=str(uuid4()))
    answer = retry(send, UnavailableError, ConnectionCutError)
    return _submitted_alerts_of(answer) if "alerts" in answer else [_to_submitted_alert(answer)]


def _submit_one(api: str, body: JsonValue) -> SubmittedAlert:
    send = partial(post, f"{api}/alerts", body, idempotency_key=str(uuid4()))
    return _to_submitted_alert(retry(send, UnavailableError, ConnectionCutError))


def _submit_webhook(api: str, body: dict[str, JsonValue]) -> list[SubmittedAlert]:
    # A webhook that comes twice meets itself: its identity is the alert's.
    send = partial(post, f"{api}/alerts/{'grafana' if 'orgId' in body else 'alertmanager'}", body)
    return _submitted_alerts_of(retry(send, UnavailableError, ConnectionCutError))


def _submitted_alerts_of(answer: dict[str, JsonValue]) -> list[SubmittedAlert]:
    alerts = answer.get("alerts")
    rows = alerts if isinstance(alerts, list) else []
    return [_to_submitted_alert(row) for row in rows if isinstance(row, dict) and row.get("session_id")]


def _to_submitted_alert(row: dict[str, JsonValue]) -> SubmittedAlert:
    status = row.get("session_status")
    return SubmittedAlert(_session_id(row), row.get("status") == "joined", status if isinstance(status, str) else "")


def _session_id(row: dict[str, JsonValue]) -> str:
    id = row.get("session_id")
    if not isinstance(id, str):
        raise ApiError("The API accepted the alert, but named no session.")
    return id
