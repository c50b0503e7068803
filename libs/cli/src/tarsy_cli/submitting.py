"""Sending alerts to the API."""

import json

import httpx2
from pydantic import JsonValue

TIMEOUT_SECONDS = 30.0


class SubmitFailed(Exception):
    """The API refused the alert, or could not be reached."""


def submit_file(api: str, content: bytes) -> list[str]:
    """The ids of the sessions that investigate it. An Alertmanager webhook brings one for each firing alert.

    Raises SubmitFailed.
    """
    try:
        body: JsonValue = json.loads(content)
    except ValueError:
        return [_submit_one(api, {"data": content.decode(errors="replace")})]
    if isinstance(body, dict) and "alerts" in body:
        return _submit_webhook(api, body)
    if isinstance(body, dict) and "data" in body:
        return [_submit_one(api, body)]
    return [_submit_one(api, {"data": content.decode()})]


def _submit_one(api: str, body: JsonValue) -> str:
    return str(_post(f"{api}/alerts", body)["session_id"])


def _submit_webhook(api: str, body: JsonValue) -> list[str]:
    answered = _post(f"{api}/alerts/alertmanager", body)
    alerts = answered.get("alerts")
    rows = alerts if isinstance(alerts, list) else []
    return [str(row["session_id"]) for row in rows if isinstance(row, dict) and row.get("session_id")]


def _post(url: str, body: JsonValue) -> dict[str, JsonValue]:
    try:
        answer = httpx2.post(url, json=body, timeout=TIMEOUT_SECONDS)
    except httpx2.HTTPError as problem:
        raise SubmitFailed(f"{url} could not be reached: {problem}") from problem
    if answer.status_code >= 400:
        raise SubmitFailed(f"{url} answered {answer.status_code}: {answer.text}")
    found: dict[str, JsonValue] = answer.json()
    return found
