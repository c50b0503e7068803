"""Results of tool calls over HTTP: parts, searches, times, and the whole text, from a real Kafka and PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.messages.requests import LogPosition
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_results.text import count_lines, split
from tarsy_service.http.problems import ProblemError
from tarsy_testing.loop_held import watching_the_loop
from tarsy_timeline.api.results.call_results import CallResults
from tarsy_timeline.api.results.query import WantedLines, parse_wanted
from tarsy_timeline.rows.found_result import FoundResult

type NewSession = Callable[[], Any]
type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]
type Append = Callable[..., Awaitable[int]]

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALERT = Alert(alert_type="t", data="d", source="api", author="ann")
CHAIN = ResolvedChain(chain_id="default", stages=(), summary_llm_provider="scripted")
LOG_PARTITION = 1
RESULTS_PARTITION = 5


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(system_bus: Bus, module_schema: str, running_api: RunningApi) -> AsyncIterator[httpx2.AsyncClient]:
    async with running_api(system_bus, module_schema, wait_seconds=20.0) as client:
        yield client


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that a busy machine reaches."""
    monkeypatch.setattr("tarsy_timeline.api.results.call_results.READ_SECONDS", 60.0)
    monkeypatch.setattr("tarsy_timeline.api.results.call_results.LOOK_SECONDS", 30.0)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def publisher(system_bus: Bus) -> AsyncIterator[Publisher]:
    async with Publisher(system_bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        yield publisher


async def store(publisher: Publisher, call_id: str, data: bytes, *, piece: int = 512 * 1024) -> e.StoredResult:
    """As a gateway stores it."""
    pieces = []
    for one in split(data, piece):
        written = await publisher.write(
            publisher.topics.results, key=call_id.encode(), value=one, headers=[], partition=RESULTS_PARTITION
        )
        pieces.append(e.Piece(offset=written.offset, size=len(one)))
    return e.StoredResult(partition=RESULTS_PARTITION, pieces=tuple(pieces), size=len(data), lines=count_lines(data))


class Investigation:
    """A session whose calls have these results."""

    def __init__(self, client: httpx2.AsyncClient, bus: Bus, session: Any, append: Append) -> None:
        self._client = client
        self._bus = bus
        self._append = append
        self._written = 0
        self.session = session
        session.add(e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN))

    async def request(self) -> str:
        call = str(uuid4())
        self.session.add(
            e.ToolCallRequested(
                call_id=call, execution_id="", llm_call_id="", server="k8s", tool="pods_log", arguments={},
                repeatable=True, timeout_seconds=60,
            )
        )  # fmt: skip
        await self._write()
        return call

    async def complete(self, call: str, content: str, stored: e.StoredResult | None = None) -> None:
        data = content.encode()
        size, lines = (stored.size, stored.lines) if stored is not None else (len(data), count_lines(data))
        self.session.add(
            e.ToolCallCompleted(
                call_id=call, outcome="ok", content=content, cut=stored is not None, size=size, lines=lines,
                stored=stored,
            )
        )  # fmt: skip
        await self._write()

    async def get(self, call: str, **query: str | int) -> httpx2.Response:
        asked = {"at_least": len(self.session.records)} | query
        return await self._client.get(self.path(call), params=asked, timeout=60)

    def path(self, call: str) -> str:
        return f"/api/v1/sessions/{self.session.id}/tool-calls/{call}/result"

    async def _write(self) -> None:
        await self._append(self._bus, LOG_PARTITION, self.session.records[self._written :])
        self._written = len(self.session.records)


@pytest.fixture
def investigation(
    client: httpx2.AsyncClient, system_bus: Bus, new_session: NewSession, append: Append
) -> Investigation:
    return Investigation(client, system_bus, new_session(), append)


def numbered(count: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in range(count))


def stamped(count: int) -> bytes:
    lines = (f"2026-11-22T10:{number // 60:02}:{number % 60:02}Z line {number}\n" for number in range(count))
    return "".join(lines).encode()


async def long_result(investigation: Investigation, publisher: Publisher, data: bytes, **how: int) -> str:
    call = await investigation.request()
    await investigation.complete(call, data[:1000].decode(), await store(publisher, call, data, **how))
    return call


def texts(answer: httpx2.Response) -> list[tuple[int, str]]:
    return [(line["number"], line["text"]) for line in answer.json()["lines"]]


async def test_a_stored_result_is_read_page_by_page_to_its_end(
    investigation: Investigation, publisher: Publisher
) -> None:
    call = await long_result(investigation, publisher, numbered(5_000), piece=10_000)
    seen: list[tuple[int, str]] = []
    following = {"offset": 0, "byte": 0}
    while following is not None:
        answer = await investigation.get(call, lines=1_999, **following)
        assert answer.status_code == 200
        assert answer.headers["TARSy-Last-Number"] == "3"
        seen += texts(answer)
        following = answer.json()["next"]
    assert seen == [(number, f"line {number}") for number in range(5_000)]
    expected = {
        "session_id": investigation.session.id, "call_id": call, "outcome": "ok", "size": 48_890, "total_lines": 5_000,
        "matches": None, "next": None,
    }  # fmt: skip
    assert {name: answer.json()[name] for name in expected} == expected


@pytest.mark.parametrize("length", [10, 50_000])
async def test_a_result_that_the_log_holds_whole_is_read_however_much_of_it_is_shown(
    investigation: Investigation, length: int
) -> None:
    """Above 32,000 bytes the timeline shows only a part."""
    call = await investigation.request()
    await investigation.complete(call, "x" * length + "\nend\n")
    answer = await investigation.get(call, offset=1)
    assert texts(answer) == [(1, "end")]
    whole = await investigation.get(f"{call}")
    assert sum(len(text) for _, text in texts(whole)) == (length + 3 if length < 48 * 1024 else 48 * 1024)


async def test_the_first_characters_of_a_calls_id_are_enough(investigation: Investigation) -> None:
    first, second = await investigation.request(), await investigation.request()
    await investigation.complete(first, "one\n")
    await investigation.complete(second, "two\n")
    assert texts(await investigation.get(first[:8])) == [(0, "one")]
    assert texts(await investigation.get(second[:13])) == [(0, "two")]


async def test_a_search_counts_all_that_match_and_says_where_and_when(
    investigation: Investigation, publisher: Publisher
) -> None:
    call = await long_result(investigation, publisher, stamped(3_000), piece=10_000)
    answer = await investigation.get(call, search="LINE .*7$", ignore_case="true", context=1, lines=2)
    assert [line["number"] for line in answer.json()["lines"]] == [6, 7, 8, 16, 17]
    assert [line["number"] for line in answer.json()["lines"] if line["matches"]] == [7, 17]
    assert answer.json()["matches"] == {
        "count": 300, "shown": 2, "complete": True, "first_line": 7, "last_line": 2997,
        "first_time": "2026-11-22T10:00:07Z", "last_time": "2026-11-22T10:49:57Z",
    }  # fmt: skip
    assert answer.json()["next"] == {"offset": 18, "byte": 0}
    none = await investigation.get(call, search="nothing")
    assert (none.json()["lines"], none.json()["matches"]["count"], none.json()["next"]) == ([], 0, None)


async def test_lines_of_a_span_of_time_are_read(investigation: Investigation, publisher: Publisher) -> None:
    call = await long_result(investigation, publisher, stamped(3_000), piece=10_000)
    span = {"from": "2026-11-22T10:20:58Z", "until": "2026-11-22T10:21:01Z"}
    assert [number for number, _ in texts(await investigation.get(call, **span))] == [1258, 1259, 1260, 1261]
    found = await investigation.get(call, search="line 12.9", context=0, **span)
    assert [number for number, _ in texts(found)] == [1259]


async def test_without_stamps_a_result_cannot_be_read_by_time(investigation: Investigation) -> None:
    call = await investigation.request()
    await investigation.complete(call, "no stamp\n")
    answer = await investigation.get(call, **{"until": "2026-11-22T10:21"})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/until")
    assert "has a time stamp" in answer.json()["detail"]


async def test_behind_the_end_of_a_result_with_stamps_nothing_lies_in_any_span(investigation: Investigation) -> None:
    call = await investigation.request()
    await investigation.complete(call, stamped(60).decode())
    answer = await investigation.get(call, offset=60, until="2026-11-22T10:21")
    assert (answer.status_code, texts(answer), answer.json()["next"]) == (200, [], None)


async def test_a_single_line_of_megabytes_is_read_on_within_it(
    investigation: Investigation, publisher: Publisher
) -> None:
    data = b"".join(b"%07d," % number for number in range(500_000))
    call = await long_result(investigation, publisher, data)
    first = (await investigation.get(call)).json()
    on = (await investigation.get(call, **first["next"])).json()
    assert first["lines"][0]["goes_on"]
    assert (on["lines"][0]["number"], on["lines"][0]["byte"]) == (0, first["next"]["byte"])
    assert first["lines"][0]["text"] + on["lines"][0]["text"] == data[: 2 * first["next"]["byte"]].decode()


async def test_the_whole_is_a_download(
    investigation: Investigation, client: httpx2.AsyncClient, publisher: Publisher
) -> None:
    data = numbered(200_000)
    call = await long_result(investigation, publisher, data)
    await investigation.get(call)
    answer = await client.get(f"{investigation.path(call[:8])}/download", timeout=60)
    assert answer.content == data
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="result-{call[:8]}.txt"'
    assert answer.headers["content-length"] == str(len(data))


async def test_what_is_not_there_is_a_problem_that_says_so(
    investigation: Investigation, client: httpx2.AsyncClient
) -> None:
    running = await investigation.request()
    unknown = await client.get("/api/v1/sessions/nope/tool-calls/12345678/result")
    assert (unknown.status_code, unknown.json()["detail"]) == (404, "There is no session nope.")
    for suffix in ("", "/download"):
        early = await client.get(f"{investigation.path(running)}{suffix}", params={"at_least": 2})
        assert (early.status_code, early.json()["detail"]) == (409, "The call has no result yet.")
        no_call = await client.get(f"{investigation.path('12345678')}{suffix}")
        assert (no_call.status_code, "has no call 12345678" in no_call.json()["detail"]) == (404, True)
    later = await client.get(investigation.path(running), params={"at_least": 99}, timeout=60)
    assert (later.status_code, later.json()["title"]) == (503, "Not there yet")


async def test_a_result_that_is_no_longer_kept_is_said_to_be_gone(
    investigation: Investigation, client: httpx2.AsyncClient, system_bus: Bus, publisher: Publisher
) -> None:
    call = await long_result(investigation, publisher, numbered(5_000), piece=10_000)
    assert (await investigation.get(call)).status_code == 200
    async with admin(system_bus) as kafka:
        where = TopicPartition(system_bus.topics.results, RESULTS_PARTITION)
        await kafka.delete_records({where: RecordsToDelete(before_offset=-1)})
    for path in (investigation.path(call), f"{investigation.path(call)}/download"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["detail"]) == (404, "This result is no longer kept.")


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"search": "f("}, "/search"),
        ({"search": "x" * 501}, "/search"),
        ({"from": "yesterday"}, "/from"),
        ({"from": "2026-11-22T10:00", "until": "2026-11-22T09:00"}, "/until"),
        ({"offset": -1}, "/offset"),
        ({"lines": 0}, "/lines"),
        ({"lines": 2001}, "/lines"),
        ({"context": 11}, "/context"),
    ],
)
async def test_a_wrong_question_is_a_problem_with_a_pointer(
    client: httpx2.AsyncClient, query: dict[str, str | int], pointer: str
) -> None:
    answer = await client.get("/api/v1/sessions/some/tool-calls/12345678/result", params=query)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["pointer"] == pointer


@pytest.mark.timing
async def test_a_hostile_search_of_thirty_megabytes_stops_and_keeps_nobody_waiting(
    investigation: Investigation, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsy_timeline.api.results.call_results.LOOK_SECONDS", 2.0)
    data = bytes(b"ab"[(number * number // 7 + number // 3) % 2] for number in range(1024 * 1024)) * 30
    call = await long_result(investigation, publisher, data)
    await investigation.get(call, lines=1)
    async with watching_the_loop() as held:
        asking = asyncio.create_task(investigation.get(call, search="(a?){200}[ab]{200}[ab]*a[ab]{200}c"))
        quick = await investigation.get(call, lines=1)
        answer = await asking
    assert quick.status_code == 200
    assert (answer.status_code, answer.json()["matches"]["complete"]) == (200, False)
    assert answer.json()["next"]["byte"] > 0
    assert max(held.turns) < 1.0
    assert sorted(held.turns)[len(held.turns) // 2] < 0.1


async def test_without_kafka_a_short_result_is_read_and_a_long_one_is_a_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tarsy_timeline.api.results.call_results.READ_SECONDS", 2.0)
    results = CallResults(Bus(bootstrap=f"127.0.0.1:{free_port()}", topics=Topics("none"), client="test"))
    place, wanted = LogPosition(partition=0, offset=0), WantedLines.model_validate({})
    short = FoundResult(session_id="s", call_id="c", outcome="ok", content="here\n", place=place)
    answer = await results.read(short, wanted, parse_wanted(wanted))
    assert [line.text for line in answer.lines] == ["here"]
    long = replace(short, content=None)
    for asked in (results.read(long, wanted, parse_wanted(wanted)), results.open_download(long)):
        with pytest.raises(ProblemError) as refused:
            await asked
        assert refused.value.status == 503


async def test_reads_are_counted(investigation: Investigation, client: httpx2.AsyncClient) -> None:
    async def counted(kind: str, outcome: str) -> float:
        name = f'tarsy_timeline_result_reads_total{{kind="{kind}",outcome="{outcome}"}} '
        lines = (await client.get("/metrics")).text.splitlines()
        return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))

    call = await investigation.request()
    await investigation.complete(call, "here\n")
    before = [await counted("lines", "ok"), await counted("search", "refused"), await counted("download", "ok")]
    await investigation.get(call)
    await investigation.get(call, search="(")
    await client.get(f"{investigation.path(call)}/download")
    after = [await counted("lines", "ok"), await counted("search", "refused"), await counted("download", "ok")]
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 1]


async def test_the_timeline_names_the_call_and_not_where_its_result_lies(
    investigation: Investigation, client: httpx2.AsyncClient
) -> None:
    call = await investigation.request()
    await investigation.complete(call, "here\n")
    await investigation.get(call)
    (event,) = (await client.get(f"/api/v1/sessions/{investigation.session.id}/timeline")).json()
    assert event["metadata"]["call_id"] == call
    assert "log_offset" not in event["metadata"]
