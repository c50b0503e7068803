"""Tools of memory ask the timeline: whatever it says, the call ends, and an agent can act on the words."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from tarsy_contracts.memory import RecallContext
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.servers.http_server import Quiet, serving
from tarsy_tool_gateway.builtin.memory.tool import TimelineMemory

CONTEXT = RecallContext(session_id="s", alert_type="crash", namespace="shop")
ANSWER = '{"memories":[]}'


@contextmanager
def timeline(
    status: int = 200, answer: str = ANSWER, seconds: float = 0.0
) -> Iterator[tuple[TimelineMemory, list[Any]]]:
    """One that answers so, and what it was asked."""
    asked: list[Any] = []

    class Timeline(Quiet):
        def do_POST(self) -> None:
            asked.append((self.path, self.headers.get("authorization"), self.body().decode()))
            time.sleep(seconds)
            with suppress(BrokenPipeError):  # nobody waits for it any longer
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer.encode())

    with serving(Timeline) as url:
        yield TimelineMemory(url, {"Authorization": "Bearer key"}), asked


def request(seconds: float = 5.0, *, context: RecallContext | None = CONTEXT, **arguments: Any) -> ToolCallRequest:
    return ToolCallRequest(
        session_id="s",
        call_id="c",
        server="tarsy",
        tool="recall_past_investigations",
        arguments=arguments,
        repeatable=True,
        timeout_seconds=seconds,
        not_after=datetime(2026, 11, 30, tzinfo=UTC),
        recalls=context,
    )


async def test_the_timeline_is_told_which_session_asks() -> None:
    with timeline() as (memory, asked):
        output = await memory.recall(request(query="disk full", limit=3))
    assert (output.outcome, output.text) == ("ok", ANSWER)
    ((path, key, body),) = asked
    assert (path, key) == ("/internal/v1/recall", "Bearer key")
    assert '"query":"disk full","limit":3' in body
    assert '"session_id":"s","alert_type":"crash"' in body


async def test_what_a_model_leaves_out_or_writes_as_null_has_its_default() -> None:
    with timeline() as (memory, asked):
        await memory.search(request(query="disk", alert_type=None, days_back=None))
    assert '"alert_type":"","days_back":30,"limit":5' in asked[0][2]


async def test_a_long_query_is_cut() -> None:
    with timeline() as (memory, _):
        assert (await memory.search(request(query="disk " * 1000))).outcome == "ok"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "query"),
        ({"query": 1}, "query"),
        ({"query": "disk", "limit": "many"}, "limit"),
        ({"query": "d", "limit": 99}, "limit"),
    ],
)
async def test_arguments_that_make_no_sense_are_rejected_by_name(arguments: dict[str, Any], words: str) -> None:
    with timeline() as (memory, asked):
        output = await memory.recall(request(**arguments))
    assert output.outcome == "rejected"
    assert words in output.text
    assert asked == []


async def test_a_request_of_an_owner_that_names_no_session_is_rejected() -> None:
    with timeline() as (memory, asked):
        assert (await memory.recall(request(context=None, query="disk"))).outcome == "rejected"
    assert asked == []


@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
async def test_a_timeline_that_does_not_answer_is_unavailable(status: int) -> None:
    with timeline(status, "no") as (memory, _):
        output = await memory.recall(request(query="disk"))
    assert output.outcome == "unavailable"
    assert str(status) in output.text


@pytest.mark.timing
async def test_a_timeline_that_is_away_or_slow_is_unavailable_before_the_call_has_run_out() -> None:
    away = TimelineMemory("http://127.0.0.1:1", {})
    assert (await away.recall(request(query="disk"))).outcome == "unavailable"
    with timeline(seconds=1.5) as (memory, _):
        began = time.monotonic()
        output = await memory.recall(request(1.0, query="disk"))
    assert output.outcome == "unavailable"
    assert "Timeout" in output.text
    assert time.monotonic() - began < 30


async def test_words_that_cannot_be_searched_for_are_rejected() -> None:
    with timeline(400, "no") as (memory, _):
        assert (await memory.search(request(query="."))).outcome == "rejected"
