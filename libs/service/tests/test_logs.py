"""What a process writes: JSON lines, ours and those of libraries."""

import io
import json
import logging
from collections.abc import Callable

import pytest
import structlog

from tarsy_service.telemetry.logs import QueriesLeftOut, configure_logs
from tarsy_service.telemetry.repeated_lines import ALIKE_SECONDS, MOST_ALIKE, MOST_KINDS

type Lines = Callable[[], list[str]]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lines(clock: Clock) -> Lines:
    """What was written since the last time."""
    to = io.StringIO()
    configure_logs("INFO", to, monotonic=clock)

    def take() -> list[str]:
        written = [json.loads(line)["event"] for line in to.getvalue().splitlines()]
        to.seek(0)
        to.truncate()
        return written

    return take


def test_a_line_of_a_library_is_written_five_times_then_once_a_minute_with_a_count(clock: Clock, lines: Lines) -> None:
    library = logging.getLogger("aiokafka.consumer")
    minutes = 4
    written = []
    for number in range(minutes * 60):
        library.error("Unable to connect to %s", number)
        clock.now += 1.0
        written += lines()
    assert written == [
        *(f"Unable to connect to {number}" for number in range(MOST_ALIKE)),
        f"Unable to connect to 60 ({60 - MOST_ALIKE} more like this were left out)",
        "Unable to connect to 120 (59 more like this were left out)",
        "Unable to connect to 180 (59 more like this were left out)",
    ]


def test_after_a_quiet_minute_a_line_is_written_five_times_again(clock: Clock, lines: Lines) -> None:
    library = logging.getLogger("aiokafka.consumer")
    for _ in range(100):
        library.error("Unable to connect")
    lines()
    clock.now += 2 * ALIKE_SECONDS
    for _ in range(100):
        library.error("Unable to connect")
    left_out = f"Unable to connect ({100 - MOST_ALIKE} more like this were left out)"
    assert lines() == [left_out, *["Unable to connect"] * (MOST_ALIKE - 1)]


def test_a_line_that_comes_seldom_is_always_written(clock: Clock, lines: Lines) -> None:
    for _ in range(100):
        logging.getLogger("aiokafka").error("no")
        clock.now += ALIKE_SECONDS / MOST_ALIKE
    assert lines() == ["no"] * 100


def test_other_lines_and_other_libraries_are_heard_meanwhile(lines: Lines) -> None:
    for _ in range(100):
        logging.getLogger("aiokafka").error("no")
    lines()
    logging.getLogger("aiokafka").error("yes")
    logging.getLogger("asyncpg").error("no")
    assert lines() == ["yes", "no"]


def test_all_of_our_own_lines_are_written(lines: Lines) -> None:
    for _ in range(100):
        structlog.get_logger("tarsy").warning("session.set_aside")
    assert lines() == ["session.set_aside"] * 100


def test_lines_without_a_template_are_all_written_and_few_are_remembered(lines: Lines) -> None:
    count = 3 * MOST_KINDS
    for number in range(count):
        logging.getLogger("uvicorn").error(f"value {number}")
    assert len(lines()) == count


WRITING = (
    "uvicorn.error", "websockets.client", "websockets.server", "botocore.auth", "botocore.parsers", "google.auth",
    "urllib3.connectionpool", "azure.identity", "msal.application",
)  # fmt: skip


def test_at_debug_headers_and_answers_of_token_servers_are_not_written_for_they_hold_credentials(lines: Lines) -> None:
    configure_logs("DEBUG")
    loggers = [logging.getLogger(name) for name in WRITING]
    assert [logger.isEnabledFor(logging.DEBUG) for logger in loggers] == [False] * len(WRITING)
    assert logging.getLogger("tarsy_service").isEnabledFor(logging.DEBUG)


@pytest.mark.parametrize("name", ["uvicorn.error", "uvicorn.access"])
def test_a_key_in_the_query_of_an_address_is_not_written(name: str) -> None:
    told = ("127.0.0.1:0", "/api/v1/ws?token=secret", 401)
    line = logging.LogRecord(name, logging.INFO, "", 0, '%s - "WebSocket %s" %d', told, None)
    QueriesLeftOut().filter(line)

    assert line.getMessage() == '127.0.0.1:0 - "WebSocket /api/v1/ws?..." 401'


def test_the_lines_of_uvicorn_go_without_queries(lines: Lines) -> None:
    logging.getLogger("uvicorn.error").warning('%s - "WebSocket %s" %d', "127.0.0.1:0", "/ws?token=secret", 403)

    assert lines() == ['127.0.0.1:0 - "WebSocket /ws?..." 403']
