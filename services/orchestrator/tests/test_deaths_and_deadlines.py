"""Deaths and deadlines are noticed by the owner, written into its own inbox, and decided when they come back."""

from datetime import timedelta

import pytest
from orchestrator_running import DEAD_AFTER, RunningOwner
from orchestrator_world import WORKER, World, calling, config, new_session, words

from tarsy_bus.readers.records import parse_record
from tarsy_contracts import events as e
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_session.queue_requests import partition_of_attempt
from tarsy_testing.real_servers import FEW_PARTITIONS, eventually
from tarsy_testing.story.story import DELETE, READ

LATER = DEAD_AFTER + timedelta(seconds=2)


@pytest.fixture
def session() -> str:
    return new_session()


async def requested(world: World, session_id: str, tool: e.OfferedTool) -> ToolCallRequest:
    world.turns[:] = [calling(tool), words("the cause is X")]
    await world.alert(session_id)
    return await world.request(session_id)


def time_passes(owner: RunningOwner, by: timedelta = LATER) -> None:
    """The owner's own announcement comes back with a later stamp; nobody else announced anything meanwhile."""
    owner.hears(owner.name, ago=-by)


async def inputs_of_owners(world: World) -> list[str]:
    deliveries = [parse_record(record) for record in await world.records(world.bus.topics.inbox)]
    return [one.envelope.type for one in deliveries if one is not None and one.envelope.source != "test"]


async def test_a_granted_unsafe_call_whose_worker_died_ends_as_unknown(world: World, session: str) -> None:
    owner = await world.owner()
    request = await requested(world, session, DELETE)
    await world.claim(request)
    await world.told(ClaimGranted)
    # While it had no claim it may have been published again: the first pause is a few seconds.
    published = len(await world.requests(session))
    time_passes(owner)

    log = await world.until_ended(session)
    assert [event.outcome for event in log.events(e.ToolCallCompleted)] == ["unknown"]
    assert set(await inputs_of_owners(world)) == {"worker.died"}
    assert len(await world.requests(session)) == published
    assert owner.counted("workers_declared_dead_total") == 1

    async def counted() -> bool:
        return owner.counted("tool_calls_total", outcome="unknown") == 1

    await eventually(counted, "the owner has read the outcome")


async def test_what_a_worker_reports_after_it_was_taken_for_dead_is_learned(world: World, session: str) -> None:
    owner = await world.owner()
    request = await requested(world, session, DELETE)
    await world.claim(request)
    await world.told(ClaimGranted)
    time_passes(owner)
    ended = await world.until_ended(session)
    await world.result(request, "it took effect")

    log = await world.until(session, "tool_call.outcome_learned")
    assert log.types == [*ended.types, "tool_call.outcome_learned"]
    await world.until_rested(session, number=len(log.accepted))


async def test_a_repeatable_call_whose_worker_died_is_free_again_and_published_again(
    world: World, session: str
) -> None:
    owner = await world.owner()
    request = await requested(world, session, READ)
    await world.claim(request)
    await world.until(session, "tool_call.started")
    time_passes(owner)
    again = await world.request(session, count=2)
    log = await world.until(session, "tool_call.released")
    assert [event.reason for event in log.events(e.ToolCallReleased)] == ["worker_died"]
    owner.hears(WORKER, ago=-LATER)
    await world.claim(again, claim_id="claim-2")
    await world.result(again, claim_id="claim-2")
    await world.until_ended(session)


async def test_a_result_that_was_reported_before_the_death_counts(world: World, session: str) -> None:
    """The death is decided behind everything that was reported before it was noticed."""
    owner = await world.owner()
    request = await requested(world, session, DELETE)
    await world.claim(request)
    await world.told(ClaimGranted)
    await world.result(request, "just in time")
    time_passes(owner)

    log = await world.until_ended(session)
    assert [event.outcome for event in log.events(e.ToolCallCompleted)] == ["ok"]


@pytest.mark.parametrize(("claimed", "outcome"), [(False, "unavailable"), (True, "unknown")])
async def test_a_call_ends_at_its_deadline_and_its_worker_is_told(
    world: World, session: str, claimed: bool, outcome: str
) -> None:
    world.config = config(tool_call_seconds=0.5)
    owner = await world.owner()
    request = await requested(world, session, DELETE)
    if claimed:
        await world.claim(request)
        await world.told(ClaimGranted)
        owner.hears(WORKER, ago=-timedelta(hours=1))
    time_passes(owner, timedelta(minutes=1))

    log = await world.until_ended(session)
    assert [event.outcome for event in log.events(e.ToolCallCompleted)] == [outcome]
    assert set(await inputs_of_owners(world)) == {"deadline.passed"}
    assert CallCancelled(call_id=request.call_id) in await world.told(CallCancelled)


async def test_words_that_were_streamed_when_their_time_was_up_are_on_the_log(world: World, session: str) -> None:
    world.config = config(session_seconds=5.0)
    owner = await world.owner()
    owner.llm.streams = "The pod was killed.\n"
    owner.llm.may_answer.clear()
    await world.alert(session)
    await world.until_streamed(session, owner.llm.streams)
    time_passes(owner, timedelta(minutes=1))

    log = await world.until_ended(session)
    failed = log.events(e.LlmCallFailed)[0]
    assert (failed.kind in ("time_budget", "session_timeout"), failed.text) == (True, "The pod was killed.\n")
    assert "The pod was killed." in log.events(e.ExecutionCompleted)[-1].final_analysis


async def test_each_attempt_goes_to_another_partition_of_the_queue(world: World, session: str) -> None:
    """The same partition would lead to the same worker: the one that was busy, or is stuck."""
    owner = await world.owner()
    call_id = (await requested(world, session, READ)).call_id
    # The first repeat goes where the request went; of places drawn by chance two may be the same.
    first = partition_of_attempt(call_id, 0, FEW_PARTITIONS.queue)
    elsewhere = next(
        turn for turn in range(1, 50) if partition_of_attempt(call_id, turn, FEW_PARTITIONS.queue) != first
    )
    await world.request(session, count=2 * elsewhere + 1)
    assert owner.counted("requests_published_total", topic="tool-calls") >= 2
    assert owner.counted("requests_republished_total", topic="tool-calls") >= 1
    records = await world.records(world.bus.topics.tool_calls)
    assert {record.key for record in records} == {call_id.encode()}
    assert len({record.partition for record in records}) > 1
