"""What goes wrong, what it means, and whether there is another attempt: as a table."""

from dataclasses import astuple
from datetime import UTC, datetime, timedelta

import anyio
import pydantic
import pytest
from mcp import MCPError
from mcp_types import CallToolResult

from tarsy_tool_gateway.mcp.failures import (
    MEANINGS,
    MOST_RETRY_AFTERS,
    CallFailedError,
    FailureKind,
    failure_of,
    pause_before_next,
    retry_after_seconds,
)
from tarsy_tool_gateway.mcp.gateway_errors import gateway_error
from tarsy_tool_gateway.mcp.transports.http_errors import kind_of_status

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)
JITTER = 0.5


def own(kind: FailureKind, **retry_after: object) -> MCPError:
    error = gateway_error(kind, "as it is", **retry_after)  # type: ignore[arg-type]
    return MCPError(error["code"], error["message"], error["data"])


def unfitting() -> pydantic.ValidationError:
    with pytest.raises(pydantic.ValidationError) as caught:
        CallToolResult.model_validate({"content": 7})
    return caught.value


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (own("not_sent"), "not_sent"),
        (own("lost"), "lost"),
        (own("session_over"), "session_over"),
        (own("throttled", retry_after="3"), "throttled"),
        (own("refused", status=401), "refused"),
        (own("server_failed", status=502), "server_failed"),
        (MCPError(-31001, "an error of the server's own"), "answered"),
        (MCPError(-31001, "of its own, too", {"tarsy": "nonsense"}), "answered"),
        (MCPError(-31001, "of its own as well", {"tarsy": ["lost"]}), "answered"),
        (MCPError(-31001, "of its own as ever", "lost"), "answered"),
        (MCPError(-32600, "Session not found"), "session_over"),
        (MCPError(-32600, "Session terminated"), "session_over"),
        (MCPError(-32600, "the field session_name is too long"), "answered"),
        (MCPError(-32603, "Session not found"), "answered"),
        (MCPError(-32001, "Request 'tools/call' timed out"), "timed_out"),
        (MCPError(-32001, "Resource not found"), "answered"),
        (MCPError(-32000, "Connection closed"), "session_ended"),
        (MCPError(-32000, "any error of the server"), "answered"),
        (MCPError(-32000, "SSE stream ended without a response"), "lost"),
        (MCPError(-32000, "SSE stream failed: it exceeded the 9 byte limit"), "unreadable"),
        (MCPError(-32700, "Failed to parse JSON response: line 1"), "unreadable"),
        (MCPError(-32602, "no such tool"), "answered"),
        (TimeoutError(), "hung"),
        (anyio.ClosedResourceError(), "session_ended"),
        (anyio.BrokenResourceError(), "session_ended"),
        (unfitting(), "unreadable"),
        (RuntimeError("anything else that the SDK cannot make sense of"), "unreadable"),
        (RuntimeError("Client must be used within an async context manager"), "not_sent"),
        (RuntimeError("JSONRPCDispatcher.send_raw_request called before run()"), "not_sent"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value)[:60],
)
def test_every_problem_has_a_kind(problem: Exception, kind: FailureKind) -> None:
    failure = failure_of(problem, alive=True)
    assert failure is not None
    assert failure.kind == kind


def test_an_error_that_any_server_may_mean_anything_by_is_the_end_when_the_session_has_ended() -> None:
    failure = failure_of(MCPError(-32000, "whatever"), alive=False)
    assert failure is not None
    assert failure.kind == "session_ended"


def test_a_mistake_of_ours_is_none_of_these() -> None:
    assert failure_of(KeyError("oops"), alive=True) is None


@pytest.mark.parametrize(
    ("status", "retry_after", "denied", "kind"),
    [
        (404, None, True, "session_over"),
        (400, None, True, "session_over"),
        (404, None, False, "refused"),
        (400, None, False, "refused"),
        (401, "3", False, "refused"),
        (403, None, False, "refused"),
        (413, None, False, "refused"),
        (429, None, False, "throttled"),
        (429, "3", False, "throttled"),
        (503, "3", False, "throttled"),
        (503, None, False, "server_failed"),
        (500, "3", False, "server_failed"),
        (502, None, False, "server_failed"),
        (504, None, False, "server_failed"),
        (599, None, False, "server_failed"),
    ],
)
def test_every_http_status_has_a_kind(status: int, retry_after: str | None, denied: bool, kind: FailureKind) -> None:
    assert kind_of_status(status, retry_after, session_denied=denied) == kind


# kind: (ran, session, again), (the pause of a repeatable call, of any other)
TABLE: dict[FailureKind, tuple[tuple[str, str, str], tuple[float | None, float | None]]] = {
    "unreachable": (("no", "keep", "never"), (None, None)),
    "not_sent": (("no", "ask", "once"), (JITTER, JITTER)),
    "session_over": (("no", "leave", "once"), (JITTER, JITTER)),
    "throttled": (("no", "keep", "when_told"), (JITTER, JITTER)),
    "refused": (("no", "ask", "never"), (None, None)),
    "login_needed": (("no", "ask", "never"), (None, None)),
    "server_failed": (("maybe", "ask", "once"), (JITTER, None)),
    "lost": (("maybe", "ask", "once"), (JITTER, None)),
    "session_ended": (("maybe", "leave", "once"), (JITTER, None)),
    "timed_out": (("maybe", "keep", "never"), (None, None)),
    "hung": (("maybe", "leave", "never"), (None, None)),
    "unreadable": (("yes", "keep", "never"), (None, None)),
    "answered": (("yes", "keep", "never"), (None, None)),
}


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(MEANINGS)


@pytest.mark.parametrize("kind", TABLE)
def test_what_a_kind_means_and_who_is_tried_again(kind: FailureKind) -> None:
    meaning, pauses = TABLE[kind]
    assert astuple(MEANINGS[kind]) == meaning
    assert (pause_after(kind, repeatable=True), pause_after(kind, repeatable=False)) == pauses


def pause_after(
    kind: FailureKind, *before: FailureKind, retry_after: str | None = None, repeatable: bool = True, left: float = 60.0
) -> float | None:
    return pause_before_next(
        CallFailedError(kind, "why", retry_after=retry_after),
        [CallFailedError(each, "why") for each in before],
        repeatable=repeatable,
        left_seconds=left,
        jitter_seconds=JITTER,
        now=NOW,
    )


def test_one_retry_is_all_whatever_went_wrong_the_first_time() -> None:
    assert pause_after("lost", "not_sent") is None
    assert pause_after("session_over", "session_over") is None


def test_who_asks_to_come_later_is_asked_again_later_and_later_and_then_no_more() -> None:
    retry_after: list[FailureKind] = ["throttled"] * MOST_RETRY_AFTERS
    pauses = [pause_after("throttled", *retry_after[:made]) for made in range(MOST_RETRY_AFTERS + 1)]
    assert pauses == [JITTER, 2 * JITTER, 4 * JITTER, None]
    assert pause_after("lost", "throttled") == JITTER


def test_retry_after_is_honoured_when_there_is_time_for_it() -> None:
    assert pause_after("throttled", retry_after="7") == 7
    assert pause_after("throttled", retry_after="0") == JITTER
    assert pause_after("throttled", retry_after="7", left=7.2) == 7
    assert pause_after("throttled", retry_after="7", left=7) is None
    assert pause_after("lost", left=0.4) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120.0),
        (" 5 ", 5.0),
        ("Sun, 22 Nov 2026 12:00:30 GMT", 30.0),
        ("Sunday, 22-Nov-26 12:00:30 GMT", 30.0),
        ("Sun, 22 Nov 2026 11:00:00 GMT", 0.0),
        ("Sun, 22 Nov 2026 12:00:30", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 5000, 999_999_999.0),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


def test_a_date_in_another_zone_is_understood() -> None:
    assert retry_after_seconds("Sun, 22 Nov 2026 14:00:30 +0200", NOW) == timedelta(seconds=30).total_seconds()
