"""The HTTP API as the commands use it. Whatever goes wrong is one sentence."""

import httpx2
from pydantic import JsonValue

TIMEOUT_SECONDS = 30.0

type Answer = dict[str, JsonValue]


class ApiFailed(Exception):
    """The API refused, or could not be reached."""


class NotFound(ApiFailed):
    """The API does not know what was asked for."""


def get(url: str, **params: str | int) -> Answer:
    """Raises ApiFailed."""
    return _answer("GET", url, params=params)


def post(url: str, body: JsonValue) -> Answer:
    """Raises ApiFailed."""
    return _answer("POST", url, body=body)


def _answer(method: str, url: str, *, body: JsonValue = None, params: dict[str, str | int] | None = None) -> Answer:
    try:
        answer = httpx2.request(method, url, json=body, params=params, timeout=TIMEOUT_SECONDS)
    except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
        reason = str(problem) or type(problem).__name__
        raise ApiFailed(
            f"{url} could not be reached ({reason}): is it a TARSy's address, and does it run?"
        ) from problem
    if answer.status_code == 404:
        raise NotFound(f"{url} answered 404: {_said(answer)}")
    if answer.status_code >= 400:
        raise ApiFailed(f"{url} answered {answer.status_code}: {_said(answer)}")
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ApiFailed(f"{url} did not answer as a TARSy does: is it one's address?")
    return found


def _said(answer: httpx2.Response) -> str:
    """The sentence of a problem, else the beginning of whatever was sent."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    detail = body.get("detail") if isinstance(body, dict) else None
    return detail if isinstance(detail, str) else answer.text[:500]
