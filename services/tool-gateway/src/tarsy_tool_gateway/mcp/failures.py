"""Failures of calls: their meaning for the call and for the session, and the retry policy. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Literal

import anyio
import pydantic
from mcp import MCPError

from tarsy_tool_gateway.errors import ToolGatewayError
from tarsy_tool_gateway.results.text import truncate_at_space

type FailureKind = Literal[
    "unreachable",
    "not_sent",
    "session_over",
    "throttled",
    "refused",
    "login_needed",
    "server_failed",
    "lost",
    "session_ended",
    "timed_out",
    "hung",
    "unreadable",
    "answered",
]


@dataclass(frozen=True, slots=True)
class Meaning:
    """`ran`: whether the tool did. `session`: use it on, ask it whether it lives, or leave it for a new one."""

    ran: Literal["no", "maybe", "yes"]
    session: Literal["keep", "ask", "leave"]
    again: Literal["never", "once", "when_told"]


MEANINGS: Mapping[FailureKind, Meaning] = {
    # There is no session, and none came in time.
    "unreachable": Meaning("no", "keep", "never"),
    # No connection: refused, no such host, or the session was over already.
    "not_sent": Meaning("no", "ask", "once"),
    # The server knows our session no longer.
    "session_over": Meaning("no", "leave", "once"),
    # HTTP 429, or 503 with Retry-After: it is there, and has no time.
    "throttled": Meaning("no", "keep", "when_told"),
    # Any other HTTP 4xx: 401 and 403 above all.
    "refused": Meaning("no", "ask", "never"),
    # The login of a person is missing, has ended, or does not reach so far.
    "login_needed": Meaning("no", "ask", "never"),
    # Any other HTTP 5xx. It may come from a proxy, after the tool ran.
    "server_failed": Meaning("maybe", "ask", "once"),
    # The connection broke under this one request: end of file, reset, broken pipe.
    "lost": Meaning("maybe", "ask", "once"),
    # The whole session ended: the process died.
    "session_ended": Meaning("maybe", "leave", "once"),
    "timed_out": Meaning("maybe", "keep", "never"),
    # The SDK's own time limit failed too: the server no longer reads what is written to it.
    "hung": Meaning("maybe", "leave", "never"),
    # An answer came, and fits neither the protocol nor the tool's own schema.
    "unreadable": Meaning("yes", "keep", "never"),
    # The server's own error of JSON-RPC.
    "answered": Meaning("yes", "keep", "never"),
}

RETRIED: tuple[FailureKind, ...] = tuple(kind for kind, meaning in MEANINGS.items() if meaning.again != "never")

LEAST_PAUSE_SECONDS, MOST_PAUSE_SECONDS = 0.25, 0.75
MOST_RETRY_AFTERS = 3
"""How often a call is sent again because the server asked to come later."""
LEAST_LEFT_SECONDS = 0.1
"""Nothing is sent again with less time than this."""

MOST_REASON_CHARACTERS = 1000

TIMED_OUT = -32001
CLOSED = -32000
INVALID_REQUEST = -32600
UNPARSED = -32700
SESSION_TALK = ("not found", "terminated", "expired", "unknown", "invalid", "no valid")
NOT_ENTERED = ("Client must be used within", "called before run()")


class CallFailedError(ToolGatewayError):
    """`why` goes, masked, to agent and log. `retry_after`: the header. `code`: of the server's own error.

    `meaning` says who acts.
    """

    def __init__(self, kind: FailureKind, why: str, *, retry_after: str | None = None, code: int | None = None) -> None:
        super().__init__(why)
        self.kind = kind
        self.why = why
        self.retry_after = retry_after
        self.code = code

    @property
    def meaning(self) -> Meaning:
        return MEANINGS[self.kind]


def failure_of(problem: Exception, *, alive: bool) -> CallFailedError | None:
    """`alive`: the session is not known to have ended. None for what is a mistake of ours."""
    match problem:
        case CallFailedError():
            return problem
        case TimeoutError():
            return CallFailedError("hung", "it did not answer in time")
        case MCPError():
            return _failure_of_error(problem, alive)
        case anyio.ClosedResourceError() | anyio.BrokenResourceError():
            return CallFailedError("session_ended", "its session ended before it answered")
        case pydantic.ValidationError():
            return CallFailedError("unreadable", f"its answer does not fit the protocol: {_first_line(problem)}")
        case RuntimeError():
            return _failure_of_runtime_error(problem)
        case _:
            return None


def is_gateway_error(data: object) -> bool:
    """Whether our HTTP transport made this error. Any code may be a server's own; this mark is not."""
    kind = data.get("tarsy") if isinstance(data, dict) else None
    return isinstance(kind, str) and kind in MEANINGS


def pause_before_next(
    failure: CallFailedError,
    before: Sequence[CallFailedError],
    *,
    repeatable: bool,
    left_seconds: float,
    jitter_seconds: float,
    now: datetime,
) -> float | None:
    """Seconds to wait before the next attempt; None when there is none. `before`: what went wrong earlier."""
    meaning = failure.meaning
    if meaning.ran == "yes" or (meaning.ran == "maybe" and not repeatable):
        return None
    made = sum(each.meaning.again == meaning.again for each in before)
    match meaning.again:
        case "never":
            return None
        case "once":
            pause, most = jitter_seconds, 1
        case "when_told":
            pause, most = (
                max(retry_after_seconds(failure.retry_after, now) or 0.0, 2**made * jitter_seconds),
                MOST_RETRY_AFTERS,
            )
    return pause if made < most and pause + LEAST_LEFT_SECONDS <= left_seconds else None


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """The header Retry-After has seconds, or a date of HTTP."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (ValueError, TypeError):  # a TypeError: a date without a zone
        return None


def _failure_of_error(problem: MCPError, alive: bool) -> CallFailedError:
    data, message = problem.error.data, problem.message
    if is_gateway_error(data):
        retry_after = data.get("retry_after")
        return CallFailedError(
            data["tarsy"], message, retry_after=retry_after if isinstance(retry_after, str) else None
        )
    if problem.code == INVALID_REQUEST and _denies_session(message):
        return CallFailedError("session_over", "its session is over")
    if problem.code == TIMED_OUT and message.startswith("Request ") and message.endswith(" timed out"):
        return CallFailedError("timed_out", "it did not answer in time")
    if problem.code == UNPARSED and message.startswith("Failed to parse "):
        return CallFailedError("unreadable", f"its answer does not fit the protocol: {_first_line(problem)}")
    if problem.code == CLOSED:
        return _failure_of_closed(problem, alive)
    return CallFailedError("answered", message, code=problem.code)


def _failure_of_closed(problem: MCPError, alive: bool) -> CallFailedError:
    """-32000 is also what many servers answer with when they mean any error of theirs."""
    if problem.message.startswith("SSE stream ended"):
        return CallFailedError("lost", "its answer broke off")
    if problem.message.startswith("SSE stream failed"):
        return CallFailedError("unreadable", problem.message)
    if not alive or problem.message == "Connection closed":
        return CallFailedError("session_ended", "its session ended before it answered")
    return CallFailedError("answered", problem.message, code=problem.code)


def _failure_of_runtime_error(problem: RuntimeError) -> CallFailedError:
    text = str(problem)
    if any(words in text for words in NOT_ENTERED):
        return CallFailedError("not_sent", "its session is over")
    return CallFailedError("unreadable", _first_line(problem))


def _denies_session(message: str) -> bool:
    words = message.lower()
    return "session" in words and any(talk in words for talk in SESSION_TALK)


def _first_line(problem: Exception) -> str:
    return truncate_at_space(str(problem).partition("\n")[0], MOST_REASON_CHARACTERS)
