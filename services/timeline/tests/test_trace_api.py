"""The record of a session over HTTP, read from a real Kafka and PostgreSQL: an investigation and its chat."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from itertools import batched
from typing import Any

import asyncpg
import httpx2
import pytest
import pytest_asyncio
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts import events as e
from tarsy_contracts.api.timeline import PastSession
from tarsy_contracts.api.trace import LlmInteraction, McpInteraction, SessionTrace
from tarsy_contracts.events.heads import Span
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import LOG_PARTITIONS
from tarsy_service.http.problems import ProblemError
from tarsy_testing.loop_held import watching_the_loop
from tarsy_testing.simulation.investigation import BRIEF_ALERT, LONG, SESSION
from tarsy_testing.simulation.playing import Played, play
from tarsy_timeline.record import session_records
from tarsy_timeline.record.llm_interactions import find_llm
from tarsy_timeline.record.mcp_interactions import find_mcp
from tarsy_timeline.record.past_session import past_session
from tarsy_timeline.record.replay import replay
from tarsy_timeline.record.session_records import SessionRecords
from tarsy_timeline.record.session_trace import trace_of
from tarsy_timeline.rows.record_place import NOT_KNOWN, RecordPlace
from tarsy_verification.session_log import read_log

type Story = Callable[[Any], Any]
type NewSession = Callable[[], Any]
type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]
type Entry = tuple[Envelope, bytes]

pytestmark = pytest.mark.asyncio(loop_scope="module")

PARTITION = partition_of(SESSION.encode(), LOG_PARTITIONS)
BESIDE = (PARTITION + 1) % LOG_PARTITIONS
OTHERS = 1_100
"""Records of other sessions between two lives: more than a span is lengthened by."""
TRACE = f"/api/v1/sessions/{SESSION}/trace"


@pytest.fixture(scope="module")
def played() -> Played:
    """An investigation and the reply to a question, as an orchestrator wrote them."""
    return play(alert=BRIEF_ALERT, questions=1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(system_bus: Bus, module_schema: str, running_api: RunningApi) -> AsyncIterator[httpx2.AsyncClient]:
    async with running_api(system_bus, module_schema, wait_seconds=60.0) as client:
        yield client


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that a busy machine reaches."""
    for limit in ("session_records.READ_SECONDS", "session_record.REPLAY_SECONDS", "session_record.SOURCE_SECONDS"):
        monkeypatch.setattr(f"tarsy_timeline.record.{limit}", 60.0)


def entries(played: Played) -> list[Entry]:
    return [(one.envelope, one.value or b"") for one in played.log.written]


def strangers(played: Played) -> list[Entry]:
    """Records of another session that continue no chain."""
    envelope, value = entries(played)[0]
    return [(replace(envelope, subject="another", sequence=7, previous="0" * 32), value)] * OTHERS


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def records(played: Played, client: httpx2.AsyncClient, system_bus: Bus) -> tuple[RecordedEvent, ...]:
    """The session lies on the log, its second life far behind the first, and is projected. Its events as read back."""
    written = entries(played)
    reopened = next(at for at, (envelope, _) in enumerate(written) if envelope.type == "session.reopened")
    for part in (written[:reopened], *batched(strangers(played), OTHERS // 2, strict=True), written[reopened:]):
        await append_to(system_bus, part)
    answer = await client.get(f"{TRACE}?at_least={len(played.log.accepted)}", timeout=120)
    assert answer.status_code == 200, answer.text
    found = (await read_log(system_bus)).sessions[SESSION]
    return tuple(found.accepted)


async def test_the_list_names_every_interaction_of_both_lives_by_stage_and_execution(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent]
) -> None:
    answer = await client.get(TRACE)

    trace = SessionTrace.model_validate_json(answer.content)
    assert trace == trace_of(replay(records), SESSION, len(records))
    assert answer.headers["TARSy-Last-Number"] == str(trace.last_number) == str(len(records))
    assert trace.complete
    assert trace.stages[0].stage_type == "investigation"
    assert trace.stages[-1].stage_type == "chat"
    executions = [one for stage in trace.stages for one in stage.executions]
    types = [one.interaction_type for execution in executions for one in execution.llm_interactions]
    assert sorted(set(types)) == ["chat_response", "executive_summary", "iteration", "summarization"]
    ended = [one.event for one in records if isinstance(one.event, e.ExecutionCompleted)]
    assert {one.execution_id: one.unpriced_calls for one in executions} == {
        one.execution_id: one.spending.unpriced for one in ended if one.spending is not None
    }
    assert {one.cost for one in executions} == {None}


async def test_a_session_is_answered_as_it_was_after_any_of_its_events(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent]
) -> None:
    for number in (1, len(records) // 2, len(records)):
        answer = await client.get(f"/api/v1/sessions/{SESSION}/at/{number}")
        assert PastSession.model_validate_json(answer.content) == past_session(records, number)
        assert answer.headers["TARSy-Last-Number"] == str(len(records))
    later, nobodys, nought = [
        await client.get(f"/api/v1/sessions/{place}")
        for place in (f"{SESSION}/at/{len(records) + 1}", "nobodys/at/1", f"{SESSION}/at/0")
    ]
    assert (later.status_code, later.json()["detail"]) == (404, f"Session {SESSION} has no event {len(records) + 1}.")
    assert (nobodys.status_code, nobodys.json()["detail"]) == (404, "There is no session nobodys.")
    assert (nought.status_code, nought.json()["errors"][0]["pointer"]) == (400, "/number")


async def test_every_interaction_of_the_list_is_answered_as_the_log_has_it(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent]
) -> None:
    trace = trace_of(replay(records), SESSION, len(records))
    for execution in (one for stage in trace.stages for one in stage.executions):
        for listed in execution.llm_interactions:
            found = LlmInteraction.model_validate_json((await client.get(f"{TRACE}/llm/{listed.id}")).content)
            assert found.execution_id == execution.execution_id
            assert {name: value for name, value in found if name in dict(listed)} == dict(listed)
            assert found.conversation
            if listed.interaction_type != "summarization":
                assert found == find_llm(records, listed.id)
        for called in execution.mcp_interactions:
            answer = await client.get(f"{TRACE}/mcp/{called.id}")
            mcp = McpInteraction.model_validate_json(answer.content)
            assert mcp == find_mcp(replay(records), SESSION, called.id)


async def test_a_log_that_was_copied_has_other_times_and_is_not_verified(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent]
) -> None:
    """Agents read when the log took a result. The first question has no result yet."""
    trace = trace_of(replay(records), SESSION, len(records))
    asked = [one for one in trace.stages[0].executions[0].llm_interactions if one.interaction_type == "iteration"]
    verified = [(await client.get(f"{TRACE}/llm/{one.id}")).json()["verified"] for one in asked[:2]]
    assert verified == [True, False]


async def test_a_summary_shows_the_excerpt_that_its_model_was_given(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent]
) -> None:
    trace = trace_of(replay(records), SESSION, len(records))
    (listed, *_) = [
        one
        for stage in trace.stages
        for execution in stage.executions
        for one in execution.llm_interactions
        if one.interaction_type == "summarization"
    ]
    found = (await client.get(f"{TRACE}/llm/{listed.id}")).json()
    assert [one["role"] for one in found["conversation"]] == ["system", "user"]
    assert LONG in found["conversation"][1]["content"]
    assert found["missing"] is None


async def test_the_spans_of_the_log_leave_out_what_lies_between_the_lives(
    records: Sequence[RecordedEvent], database_url: str, module_schema: str
) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        spans = await connection.fetchval(
            f"select log_spans from {module_schema}.sessions where session_id = $1", SESSION
        )
    finally:
        await connection.close()
    offsets = [record.offset for record in records]
    reopened = next(at for at, record in enumerate(records) if record.envelope.type == "session.reopened")
    assert spans == [offsets[0], offsets[reopened - 1], offsets[reopened], offsets[-1]]


async def test_what_is_not_there_is_a_problem_with_a_sentence(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent]
) -> None:
    asked = {
        "/api/v1/sessions/nothing/trace": "There is no session nothing.",
        f"{TRACE}/llm/nothing": f"Session {SESSION} has no model call nothing.",
        f"{TRACE}/mcp/nothing": f"Session {SESSION} has no tool call or list of tools nothing.",
    }
    for path, detail in asked.items():
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["detail"]) == (404, detail)


async def test_a_session_that_an_older_version_projected_says_so(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent], database_url: str, module_schema: str
) -> None:
    connection = await asyncpg.connect(database_url)
    update = f"update {module_schema}.sessions set log_spans = $2 where session_id = $1 returning log_spans"
    spans = [offset for record in (records[0], records[-1]) for offset in [record.offset]]
    try:
        await connection.fetchval(update, SESSION, [])
        answer = await client.get(TRACE)
        assert (answer.status_code, answer.json()["detail"]) == (404, NOT_KNOWN)
    finally:
        await connection.fetchval(update, SESSION, spans)
        await connection.close()


async def test_spans_with_a_hole_are_read_again_with_all_that_lies_between(
    system_bus: Bus, records: Sequence[RecordedEvent]
) -> None:
    """A projector of the version before may have moved a session without its spans."""
    offsets = [record.offset for record in records]
    spans = (Span(first=offsets[0], last=offsets[3]), Span(first=offsets[8], last=offsets[-1]))
    last = LastAccepted(records[-1].envelope.id, len(records))
    async with SessionRecords(system_bus).running() as reader:
        assert await reader.read(RecordPlace(SESSION, PARTITION, spans, last)) == tuple(records)


@pytest.mark.timing
async def test_a_reading_holds_no_event_loop_and_is_kept_until_others_need_the_room(
    system_bus: Bus, records: Sequence[RecordedEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    span = (Span(first=records[0].offset, last=records[-1].offset),)
    last = LastAccepted(records[-1].envelope.id, len(records))
    place = RecordPlace(SESSION, PARTITION, span, last)
    earlier = RecordPlace(SESSION, PARTITION, span, LastAccepted(records[5].envelope.id, 6))
    async with SessionRecords(system_bus).running() as reader:
        async with watching_the_loop() as held:
            found = await reader.read(place)
        assert held.longest < 0.1
        assert await reader.read(place) is found
        first = await reader.read(earlier)
        assert first == found[:6]
        later = await reader.read(place)
        assert later == found
        assert all(one is kept for one, kept in zip(later, first, strict=False)), "they are not read again"

        monkeypatch.setattr(session_records, "MOST_BYTES", 10_000)
        with pytest.raises(ProblemError) as refused:
            await reader.read(earlier)
        assert refused.value.status == 422


async def test_a_session_whose_beginning_is_no_longer_kept_has_no_record(
    client: httpx2.AsyncClient, system_bus: Bus, story: Story, new_session: NewSession
) -> None:
    session = story(new_session())
    await append_to(system_bus, session.records, partition=BESIDE)
    path = f"/api/v1/sessions/{session.id}/trace"
    assert (await client.get(f"/api/v1/sessions/{session.id}/status?at_least=13", timeout=120)).status_code == 200
    await append_to(system_bus, [session.next(e.AlertRepeated(input_id="j", source="api"))], partition=BESIDE)
    async with admin(system_bus) as kafka:
        place = TopicPartition(system_bus.topics.sessions, BESIDE)
        await kafka.delete_records({place: RecordsToDelete(before_offset=4)})
    answer = await client.get(f"{path}?at_least=14", timeout=120)
    assert (answer.status_code, answer.json()["detail"]) == (410, session_records.GONE)


async def test_a_session_that_was_deleted_is_not_there(
    client: httpx2.AsyncClient, records: Sequence[RecordedEvent], database_url: str, module_schema: str
) -> None:
    connection = await asyncpg.connect(database_url)
    update = f"update {module_schema}.sessions set status = $2 where session_id = $1"
    try:
        await connection.execute(update, SESSION, "deleted")
        answer = await client.get(TRACE)
        assert (answer.status_code, answer.json()["detail"]) == (404, f"There is no session {SESSION}.")
    finally:
        await connection.execute(update, SESSION, "completed")
        await connection.close()


async def append_to(bus: Bus, entries: Sequence[Entry], *, partition: int = PARTITION) -> None:
    written = [LogEntry(key=one.subject.encode(), value=value, headers=one.headers()) for one, value in entries]
    async with LogWriter(bus).running() as writer:
        await writer.append(partition, written)
