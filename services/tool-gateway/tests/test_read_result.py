"""`read_result` through the whole gateway: stored by one instance, read by another, while the topic keeps it."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete
from gateway_owner import Owner, call
from pydantic import JsonValue

from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.builtin_tools import OWN_SERVER, READ_RESULT
from tarsy_contracts.events import Event, Piece, StoredResult, ToolCallCompleted, ToolCallStarted
from tarsy_contracts.messages.inputs import ToolCallReported
from tarsy_contracts.messages.requests import LogPosition, ResultPlace, ToolCallRequest
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.ids import derive_id
from tarsy_results.text import count_lines, split
from tarsy_testing.loop_held import watching_the_loop
from tarsy_tool_gateway.mcp.server_plan import ServerPlan

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]

NOWHERE = LogPosition(partition=0, offset=0)
CALL = derive_id("tool_call", "of these tests")
LINES = 12_000


def reading(place: ResultPlace | None, **arguments: JsonValue) -> ToolCallRequest:
    asked = call(READ_RESULT, server=OWN_SERVER, repeatable=True)
    return asked.model_copy(update={"arguments": {"result": CALL[:8], **arguments}, "reads": place})


async def read(owner: Owner, place: ResultPlace | None, **arguments: JsonValue) -> ToolCallReported:
    request = reading(place, **arguments)
    await owner.ask(request)
    return await owner.result(request)


async def stored(owner: Owner, data: bytes, *, between: bytes = b"", piece: int = 512 * 1024) -> ResultPlace:
    """In pieces, as a gateway stores them; `between` them lies what belongs to another call."""
    pieces: list[Piece] = []
    for one in split(data, piece):
        if between:
            await put(owner, between, key="another call")
        pieces.append(Piece(offset=await put(owner, one), size=len(one)))
    kept = StoredResult(partition=3, pieces=tuple(pieces), size=len(data), lines=count_lines(data))
    return ResultPlace(call_id=CALL, event=NOWHERE, stored=kept)


async def put(owner: Owner, value: bytes, *, key: str = CALL) -> int:
    topic = owner.bus.topics.results
    written = await owner.publisher.write(topic, key=key.encode(), value=value, headers=[], partition=3)
    return int(written.offset)


async def logged(owner: Owner, event: Event) -> ResultPlace:
    """On the session log, as an orchestrator writes it."""
    envelope = Envelope(
        id="e", type=event.type, version=1, source="test", subject="session", time=datetime.now(UTC), sequence=1
    )
    written = await owner.publisher.write(
        owner.bus.topics.sessions, key=b"session", value=event.to_bytes(), headers=envelope.headers(), partition=2
    )
    return ResultPlace(call_id=CALL, event=LogPosition(partition=2, offset=written.offset))


def numbered(count: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in range(count))


async def test_what_one_instance_has_stored_another_one_reads_masked(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    request = call("big", repeatable=True, lines=LINES)
    async with running(new_plan()):
        await owner.ask(request)
        result = await owner.result(request)
    assert result.cut
    assert result.stored is not None
    assert len(result.stored.pieces) > 1
    place = ResultPlace(call_id=request.call_id, event=NOWHERE, stored=result.stored)

    async with running():
        on = await read(owner, place, offset=result.content.count("\n"), lines=3)
        secret = await read(owner, place, search="^0001000 ", context=0)
        last = await read(owner, place, search=f"^00{LINES - 1} ", context=1)
    first = result.content.count("\n")
    assert [line[:7] for line in on.content.split("\n")[1:4]] == [f"{first + n:07}" for n in range(3)]
    assert f"Lines {first} to {first + 2} of {LINES} " in on.content
    assert "MASKED" in secret.content
    assert last.content.split("\n")[1].startswith(f"{LINES - 2}- 00{LINES - 2} ")
    assert not on.cut
    assert (on.stored, secret.stored, last.stored) == (None, None, None)


async def test_what_lies_between_the_pieces_is_not_shown(owner: Owner, running: Running) -> None:
    place = await stored(owner, numbered(3000), between=b"stranger\n", piece=1000)
    async with running():
        shown = await read(owner, place, lines=2000)
        found = await read(owner, place, search="stranger|line 2999$", context=0)
    assert shown.content.partition("\n")[2].encode() == b"".join(b"line %d\n" % number for number in range(2000))
    assert found.content.split("\n")[1:] == ["2999: line 2999"]


async def test_what_the_log_holds_whole_is_read_there(owner: Owner, running: Running) -> None:
    """As of a result that was summarised, but not cut."""
    place = await logged(owner, ToolCallCompleted(call_id=CALL, outcome="ok", content="a\nb\nc\n", size=6, lines=3))
    async with running():
        result = await read(owner, place, offset=1)
    assert (result.outcome, result.content.partition("\n")[2]) == ("ok", "b\nc\n")
    assert "Lines 1 to 2 of 3" in result.content


async def test_what_the_topic_no_longer_keeps_is_said_to_be_gone(owner: Owner, running: Running) -> None:
    place = await stored(owner, numbered(3000), piece=10_000)
    assert place.stored is not None
    below = place.stored.pieces[1].offset
    async with admin(owner.bus) as client:
        where = TopicPartition(owner.bus.topics.results, 3)
        await client.delete_records({where: RecordsToDelete(before_offset=below)})
    async with running():
        for arguments in ({"offset": 2900}, {"search": "line"}):
            result = await read(owner, place, **arguments)
            assert result.outcome == "tool_error"
            assert "no longer kept" in result.content


async def test_what_lies_there_now_but_is_not_the_result_is_not_shown(owner: Owner, running: Running) -> None:
    """The topic was made anew, or it is another cluster's."""
    strange = await stored(owner, b"x" * 100)
    assert strange.stored is not None
    other = await put(owner, b"y" * 100, key="another call")
    moved = strange.stored.model_copy(update={"pieces": (Piece(offset=other, size=100),)})
    longer = strange.stored.model_copy(update={"pieces": (Piece(offset=other - 1, size=99),)})
    ahead = strange.stored.model_copy(update={"pieces": (Piece(offset=other + 50, size=100),)})
    begun = await logged(owner, ToolCallStarted(call_id=CALL, claim_id="c", worker_id="w"))
    another = await logged(owner, ToolCallCompleted(call_id="another", outcome="ok", content="x", size=1, lines=1))
    async with running():
        for kept in (moved, longer, ahead):
            result = await read(owner, strange.model_copy(update={"stored": kept}))
            assert (result.outcome, "no longer kept" in result.content) == ("tool_error", True)
        for place in (begun, another):
            result = await read(owner, place)
            assert (result.outcome, "no longer kept" in result.content) == ("tool_error", True)


async def test_what_cannot_be_asked_is_rejected_in_words_that_help(owner: Owner, running: Running) -> None:
    place = await stored(owner, b"x")
    async with running():
        pattern = await read(owner, place, search="f(")
        number = await read(owner, place, offset=-1)
        nothing = await read(owner, None)
    assert {pattern.outcome, number.outcome, nothing.outcome} == {"rejected"}
    assert r"no regular expression of RE2: missing ): f(. To find a text as it stands, put \Q" in pattern.content
    assert "The argument offset does not fit" in number.content


async def test_a_single_line_of_twenty_megabytes_is_read_on_from_any_byte(owner: Owner, running: Running) -> None:
    data = b"".join(b"%07d," % number for number in range(2_500_000))
    place = await stored(owner, data)
    async with running():
        begun = await read(owner, place)
        following = re.search(r"To read on: offset 0 and byte (\d+)\.", begun.content)
        assert following is not None
        on = await read(owner, place, byte=int(following[1]))
        late = await read(owner, place, byte=16_000_000)
        found = await read(owner, place, search="2499998,")
    size = int(following[1])
    assert begun.content.partition("\n")[2].encode() == data[:size]
    assert on.content.partition("\n")[2].encode() == data[size : 2 * size]
    assert late.content.partition("\n")[2].startswith("2000000,2000001,")
    assert "0: (byte " in found.content
    assert "2499998," in found.content
    assert not begun.cut


@pytest.mark.timing
async def test_a_hostile_search_of_thirty_megabytes_keeps_nobody_waiting(
    owner: Owner, running: Running, new_plan: NewPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsy_results.budget.MOST_SECONDS", 2.0)
    data = bytes(b"ab"[(number * number // 7 + number // 3) % 2] for number in range(1024 * 1024)) * 30
    place = await stored(owner, data)
    hostile = reading(place, search="(a?){200}[ab]{200}[ab]*a[ab]{200}c")
    async with running(new_plan()), watching_the_loop() as held:
        await owner.ask(hostile)
        await owner.claim(hostile)
        held.turns.clear()
        await owner.result(hostile)
        turns = list(held.turns)
        quick = call("echo", repeatable=True, text="still here")
        await owner.ask(quick)
        assert (await owner.result(quick)).content == "still here"
        result = await owner.result(hostile)
    assert "The search took too long and was stopped. To search on: offset 0 and byte " in result.content
    assert len(turns) > 20
    assert max(turns) < 1.0
    assert sorted(turns)[len(turns) // 2] < 0.1


def stamped(count: int) -> bytes:
    """A line each second, and after each tenth a line that belongs to it."""
    lines = []
    for number in range(count):
        minutes, seconds = divmod(number, 60)
        lines.append(f"2026-11-22T10:{minutes:02}:{seconds:02}Z line {number}\n")
        lines += ["  it goes on\n"] if number % 10 == 0 else []
    return "".join(lines).encode()


async def test_a_search_says_where_and_when_the_lines_lie_that_match(owner: Owner, running: Running) -> None:
    place = await stored(owner, stamped(1200), piece=10_000)
    async with running():
        all_of_them = await read(owner, place, search="goes on", lines=1)
        none = await read(owner, place, search="nothing")
    assert all_of_them.content.startswith(
        "[120 lines match from offset 0 on; the result has 1320 lines (counted from 0)."
        " They lie between 1 and 1310 (2026-11-22T10:00:00Z to 2026-11-22T10:19:50Z). To search on: offset 2.]"
    )
    assert none.content == "[No line matches from offset 0 on; the result has 1320 lines (counted from 0).]"


async def test_lines_of_a_span_of_time_are_read_and_searched(owner: Owner, running: Running) -> None:
    place = await stored(owner, stamped(1200), piece=10_000)
    asked = {"from": "2026-11-22T10:05:10Z", "until": "2026-11-22T10:05:20Z"}
    async with running():
        shown = await read(owner, place, **asked)
        first = await read(owner, place, lines=2, **asked)
        on = await read(owner, place, lines=2, offset=343, **asked)
        found = await read(owner, place, search="goes on", context=0, **asked)
    head, *lines = shown.content.splitlines()
    assert (
        head == "[Lines 341 to 353 of 1320 (counted from 0; 37650 bytes in all). Nothing behind it lies in that time.]"
    )
    assert (lines[0], lines[1], lines[-1]) == ("2026-11-22T10:05:10Z line 310", "  it goes on", "  it goes on")
    assert "To read on: offset 343." in first.content
    assert on.content.splitlines()[1:] == ["2026-11-22T10:05:11Z line 311", "2026-11-22T10:05:12Z line 312"]
    assert found.content.splitlines()[1:] == ["342:   it goes on", "--", "353:   it goes on"]
    assert found.content.startswith("[2 lines match in that time from offset 0 on;")


async def test_what_lies_between_two_runs_of_a_span_is_said(owner: Owner, running: Running) -> None:
    """Two logs, one after the other."""
    place = await stored(owner, stamped(120) * 2)
    async with running():
        shown = await read(owner, place, **{"from": "2026-11-22T10:01:58Z"})
    assert shown.content.splitlines()[1:] == [
        "2026-11-22T10:01:58Z line 118",
        "2026-11-22T10:01:59Z line 119",
        "[Lines 132 to 261 lie outside of that time.]",
        "2026-11-22T10:01:58Z line 118",
        "2026-11-22T10:01:59Z line 119",
    ]


async def test_neighbours_of_a_match_lie_in_the_span_and_next_to_it(owner: Owner, running: Running) -> None:
    place = await stored(owner, stamped(120) * 2)
    async with running():
        found = await read(owner, place, search="line 118", context=2, **{"from": "2026-11-22T10:01:58Z"})
    assert [line[:5].strip("-: ") for line in found.content.splitlines()[1:]] == ["130", "131", "", "262", "263"]


async def test_when_nothing_lies_in_the_span_it_is_said_why(owner: Owner, running: Running) -> None:
    dated, undated = await stored(owner, stamped(60)), await stored(owner, numbered(60))
    asked = {"from": "2026-11-23T00:00:00Z"}
    async with running():
        outside = await read(owner, dated, **asked)
        without = await read(owner, undated, **asked)
        searched = await read(owner, undated, search="line", **asked)
        behind = await read(owner, dated, offset=66, **asked)
        wrong = await read(owner, dated, **{"from": "five minutes ago"})
    assert outside.content == (
        "[No line lies in that time. The first stamp that was read is 2026-11-22T10:00:00Z, the last one"
        " 2026-11-22T10:00:59Z; the result has 66 lines.]"
    )
    assert behind.content == "[No line from there on lies in that time; the result has 66 lines.]"
    assert without.content == searched.content
    assert without.content.startswith("[No line has a time stamp that is understood")
    assert (wrong.outcome, "such as 2026-11-22T10:05:00Z" in wrong.content) == ("rejected", True)


@pytest.mark.timing
async def test_hostile_stamps_of_thirty_megabytes_keep_nobody_waiting(
    owner: Owner, running: Running, new_plan: NewPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They go backwards in every second line, and each line is as short as it can be."""
    monkeypatch.setattr("tarsy_results.budget.MOST_SECONDS", 1.0)
    place = await stored(owner, b"2026-11-22 10:00\n2026-11-22 09:00\n" * 900_000)
    request = reading(place, **{"from": "2026-11-22T09:30", "until": "2026-11-22T09:40"})
    async with running(new_plan()), watching_the_loop() as held:
        await owner.ask(request)
        await owner.claim(request)
        held.turns.clear()
        result = await owner.result(request)
    assert re.match(r"\[Nothing was found yet, and reading took too long\. To read on: offset \d+\.\]", result.content)
    assert max(held.turns) < 1.0
    assert sorted(held.turns)[len(held.turns) // 2] < 0.1
