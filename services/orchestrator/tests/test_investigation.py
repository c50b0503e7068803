"""One investigation through one owner: every topic holds what the design says."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from functools import partial
from uuid import uuid4

import pytest
from orchestrator_running import RunningOwner
from orchestrator_world import LOG_PARTITIONS, WORKER, World, calling, new_session, words

from tarsy_bus.client.chunk_sender import MOST_UNSENT
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events import SessionCompleted, SessionStarted
from tarsy_contracts.messages.control import ClaimGranted, RequestAnswered
from tarsy_contracts.messages.inputs import CallNotStarted
from tarsy_llm.protocol import Answer, Delta, LlmCallError, LlmRequest
from tarsy_orchestrator.partition.inputs.inbox_feed import FLOOD_INPUTS
from tarsy_service.process.alerts_under_way import MANY
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.story import DELETE, READ


async def test_an_alert_goes_through_claim_grant_and_result_to_its_final_analysis(world: World) -> None:
    world.turns[:] = [calling(DELETE), words("the cause is X")]
    owner = await world.owner()
    await eventually(partial(owner_counts, owner, "sessions_open", 0), "no session is open")
    session = new_session()
    await world.alert(session)
    request = await world.request(session)
    assert (request.tool, request.repeatable) == ("pods_delete", False)
    await eventually(partial(owner_counts, owner, "sessions_open", 1), "one session is open")
    await world.claim(request)
    assert await world.told(ClaimGranted) == [ClaimGranted(call_id=request.call_id, claim_id="claim-1")]
    last = await world.result(request)

    log = await world.until_ended(session)
    assert log.events(SessionCompleted)[0].final_analysis == "the cause is X"
    assert log.dropped == []
    await world.until_committed(last)

    await eventually(partial(owner_counts, owner, "sessions_open", 0), "no session is open any more")
    assert owner.counted("sessions_started_total") == 1
    assert owner.counted("sessions_ended_total", status="completed") == owner.counted("sessions_ended_total") == 1
    assert owner.counted("session_duration_seconds_count", status="completed") == 1
    assert owner.counted("session_duration_seconds_sum") > 0
    assert owner.counted("tool_calls_total", outcome="ok") == owner.counted("tool_calls_total") == 1
    assert owner.counted("llm_calls_total", provider="scripted", outcome="ok") == 2
    assert owner.counted("llm_first_delta_seconds_count", provider="scripted") == 2
    kinds = ("input", "output", "thinking", "cached_input")
    assert [owner.counted(f"llm_{kind}_tokens_total") for kind in kinds] == [14, 6, 4, 8]
    assert owner.counted("llm_cache_written_tokens_total") == 2
    assert owner.counted("llm_calls_running") == 0
    assert owner.counted("append_duration_seconds_count") == owner.counted("batch_bytes_count") > 0
    assert owner.counted("batch_events_sum") == len(log.accepted)
    assert owner.counted("inputs_decided_total", type="alert.received") == 1
    assert owner.counted("partitions_owned") == LOG_PARTITIONS
    assert owner.counted("recovery_duration_seconds_count") >= 1


@pytest.mark.timing
async def test_a_call_that_a_busy_gateway_gives_back_is_at_once_asked_for_elsewhere(world: World) -> None:
    """It is given back without ever having been claimed."""
    world.turns[:] = [calling(READ), words("done")]
    await world.owner()
    session = new_session()
    await world.alert(session)
    request = await world.request(session)
    busy = CallNotStarted(call_id=request.call_id, claim_id="never claimed", worker_id=WORKER, reason="busy")
    await world.send(session, busy)
    await world.request(session, count=2)
    first, second, *_ = [record.partition for record in await world.records(world.bus.topics.tool_calls)]
    assert first != second
    await world.result(request)
    await world.until_ended(session)


async def test_investigations_go_on_while_the_process_accepts_a_flood_of_alerts(world: World) -> None:
    world.turns[:] = [calling(DELETE), words("the cause is X")]
    owner = await world.owner()
    with ExitStack() as flood:
        for _ in range(MANY):
            flood.enter_context(owner.alerts.one())
        sessions = [new_session() for _ in range(FLOOD_INPUTS + 1)]
        for session in sessions:
            await world.alert(session)
        request = await world.request(sessions[0])
        assert owner.alerts.are_flood
    await world.claim(request)
    await world.result(request)
    for session in sessions[1:]:
        await world.until(session, SessionStarted.type)


async def test_an_owner_that_goes_on_counts_what_it_decides_and_not_what_it_reads_again(world: World) -> None:
    first = await world.owner("first")
    first.llm.may_answer.clear()
    await world.alert(session := new_session())
    await world.until(session, "llm_call.requested")
    await first.crash()
    assert (first.counted("sessions_started_total"), first.counted("sessions_ended_total")) == (1, 0)
    second = await world.owner("second")
    await eventually(partial(owner_counts, second, "sessions_ended_total", 1), "the second owner ended it")
    assert second.counted("sessions_started_total") == 0
    assert second.counted("session_duration_seconds_count") == 1, "the beginning was read again"


async def test_a_model_that_fails_is_counted_by_how_it_failed(world: World) -> None:
    owner = await world.owner()
    owner.llm.failing = LlmCallError("no valid key", kind="credentials", usage=Usage(input_tokens=900))
    await world.alert(session := new_session())
    await world.until_ended(session)
    await eventually(partial(owner_counts, owner, "sessions_ended_total", 1), "the owner has read the end")
    assert owner.counted("llm_calls_total", provider="scripted", outcome="credentials") == 1
    assert owner.counted("llm_calls_total") == owner.counted("llm_call_duration_seconds_count") == 1
    assert owner.counted("llm_input_tokens_total") == 900
    assert owner.counted("sessions_ended_total", status="failed") == 1


async def test_a_model_that_is_cancelled_from_inside_has_failed(world: World) -> None:
    """By a library that cancels a task of its own: the session would wait for its answer until its time is over."""
    owner = await world.owner()
    owner.llm.failing = asyncio.CancelledError()
    await world.alert(session := new_session())
    await world.until_ended(session)
    await eventually(partial(owner_counts, owner, "sessions_ended_total", 1), "the owner has read the end")
    assert owner.counted("llm_calls_total", provider="scripted", outcome="broken") == 1


async def test_an_answer_does_not_wait_for_chunks_that_cannot_be_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once nobody took them any more, the model's lines filled the queue, and the call stood still."""

    async def broken(topic: str, messages: object) -> None:
        raise LookupError("a mistake of ours")

    owner = await world.owner()
    monkeypatch.setattr(owner.publisher, "begin_batches", broken)

    async def many_lines(request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        for _ in range(2 * MOST_UNSENT // 1_000):
            yield Delta(part="text", text="".join(f"line {uuid4()}\n" for _ in range(25)))
        yield words("the cause is X")

    monkeypatch.setattr(owner.llm, "stream", many_lines)
    await world.alert(session := new_session())
    log = await world.until_ended(session)
    assert isinstance(log.accepted[-1].event, SessionCompleted)


async def owner_counts(owner: RunningOwner, name: str, value: float) -> bool:
    return owner.counted(name) == value


async def test_heads_tell_where_the_session_opened_and_then_only_where_it_rests(world: World) -> None:
    await world.owner()
    session = new_session()
    await world.alert(session)
    log = await world.until_ended(session)
    _, rest = await world.until_heads(session, (1, "open"), (len(log.accepted), "rest"), (1, None))
    assert rest.event_id == log.accepted[-1].envelope.id
    assert [(span.first, span.last) for span in rest.spans] == [(log.accepted[0].offset, log.accepted[-1].offset)]


async def test_a_request_for_a_session_that_never_was_is_answered_on_control_only(world: World) -> None:
    await world.owner()
    session = new_session()
    asked = await world.cancel(session)
    (answer,) = await world.told(RequestAnswered)
    assert (answer.request_id, answer.accepted, answer.code) == ("r1", False, 404)
    await world.until_committed(asked)
    assert await world.records(world.bus.topics.sessions) == []
    assert await world.records(world.bus.topics.heads) == []
