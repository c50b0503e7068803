"""Errors of JSON-RPC that the gateway makes in the place of an answer: failures.py knows them by their mark. Pure."""

from collections.abc import Mapping
from typing import Any

from tarsy_tool_gateway.mcp.failures import FailureKind
from tarsy_tool_gateway.results.results import MOST_BYTES

NOT_SENT, REFUSED, SESSION_OVER, LOST = -31001, -31002, -31003, -31004
THROTTLED, FAILED, TOO_LONG, NO_LOGIN = -31005, -31006, -31007, -31008
CODES: Mapping[FailureKind, int] = {
    "not_sent": NOT_SENT,
    "refused": REFUSED,
    "session_over": SESSION_OVER,
    "lost": LOST,
    "throttled": THROTTLED,
    "server_failed": FAILED,
    "unreadable": TOO_LONG,
    "login_needed": NO_LOGIN,
}
"""A server may use these codes too: what makes an error one of ours is the mark in its data."""

MOST_ANSWER_BYTES = 4 * MOST_BYTES
"""JSON escapes, and many servers send a text a second time as structured content."""


def gateway_error(
    kind: FailureKind, message: str, *, status: int | None = None, retry_after: str | None = None
) -> dict[str, Any]:
    """An error of JSON-RPC that failures.py knows as one of ours."""
    data = {"tarsy": kind, "status": status, "retry_after": retry_after}
    present = {name: value for name, value in data.items() if value is not None}
    return {"code": CODES[kind], "message": message, "data": present}
