"""An owner dies without a word; another one goes on from the log."""

from datetime import timedelta

import pytest
from orchestrator_running import RunningOwner
from orchestrator_world import WORKER, World, calling, new_session, words

from tarsy_contracts.events import LlmCallCompleted, ToolCallCompleted
from tarsy_contracts.messages.control import ClaimGranted
from tarsy_contracts.messages.inputs import CallNotStarted
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.foreign_batches import write_in_transaction
from tarsy_testing.story.story import DELETE, READ


async def until_asked(owner: RunningOwner, session_id: str, count: int = 1) -> None:
    async def look() -> bool:
        return owner.llm.calls_of(session_id) >= count

    await eventually(look, f"{count} LLM calls of the session in {owner.name}")


async def test_an_llm_call_that_was_owed_is_made_again_by_the_next_owner(world: World) -> None:
    first = await world.owner("first")
    first.forgets_everything()
    first.llm.may_answer.clear()
    session = new_session()
    await world.alert(session)
    await until_asked(first, session)
    await first.crash()

    second = await world.owner("second")
    log = await world.until_ended(session)
    assert second.llm.calls_of(session) == 1
    assert len(log.events(LlmCallCompleted)) == 1
    assert log.accepted[-1].envelope.source == "second"


async def test_chunks_of_the_next_owner_replace_those_of_the_dead_one_though_its_clock_is_behind(world: World) -> None:
    first = world.beginning("first")
    first.llm.streams = "of the first\n"
    first.llm.may_answer.clear()
    await first.until_ready()
    session = new_session()
    await world.alert(session)
    await world.until_streamed(session, "of the first\n")
    await first.crash()

    second = world.beginning("second")
    second.clock_behind = timedelta(hours=1)
    second.llm.streams = "of the second\n"
    second.llm.may_answer.clear()
    await second.until_ready()
    old, new = await world.until_streamed(session, "of the first\n", "of the second\n")
    assert (old.call_id, old.index) == (new.call_id, new.index)
    assert new.run > old.run


async def test_an_owner_whose_clock_is_an_hour_behind_stamps_its_events_as_the_brokers_do(world: World) -> None:
    """The answer of a model would come before its question, and the model be given a wrong present time."""
    owner = world.beginning("owner")
    owner.clock_behind = timedelta(hours=1)
    owner.hears(owner.name)
    await owner.until_ready()
    session = new_session()
    await world.alert(session)
    log = await world.until_ended(session)
    late = [record.appended_at - record.envelope.time for record in log.accepted]
    assert max(late) < timedelta(minutes=30)


async def test_the_heads_that_the_dead_owner_did_not_write_are_written_from_the_log(world: World) -> None:
    first = await world.owner("first")
    first.forgets_everything()
    session = new_session()
    last = await world.alert(session)
    log = await world.until_ended(session)
    await first.crash()
    assert await world.heads(session) == []

    await world.owner("second")
    await world.until_rested(session, number=len(log.accepted))
    await world.until_committed(last)
    assert (await world.log(session)).types == log.types


async def test_a_granted_call_is_not_published_again_and_its_grant_is_told_again(world: World) -> None:
    world.turns[:] = [calling(DELETE), words("done")]
    first = await world.owner("first")
    first.forgets_everything()
    session = new_session()
    await world.alert(session)
    request = await world.request(session)
    await world.claim(request)
    await world.told(ClaimGranted)
    await first.crash()
    # While it had no claim it may have been published again: the first pause is a few seconds.
    published = len(await world.requests(session))

    second = await world.owner("second")
    await world.claim(request)
    grants = await world.told(ClaimGranted, count=2)
    assert {grant.claim_id for grant in grants} == {"claim-1"}
    await world.result(request)
    await world.until_ended(session)
    assert second.counted("requests_published_total") == 0
    assert len(await world.requests(session)) == published


async def test_inputs_that_are_delivered_twice_are_not_decided_again(world: World) -> None:
    """The claim would look like a new one: its call is free again."""
    world.turns[:] = [calling(READ), words("done")]
    first = await world.owner("first")
    first.forgets_everything()
    session = new_session()
    await world.alert(session)
    request = await world.request(session)
    await world.claim(request)
    gave_up = CallNotStarted(call_id=request.call_id, claim_id="claim-1", worker_id=WORKER, reason="busy")
    last = await world.send(session, gave_up)
    before = await world.until(session, "tool_call.released")
    await first.crash()

    await world.owner("second")
    await world.until_committed(last)
    assert (await world.log(session)).types == before.types


async def test_a_call_that_nobody_claimed_is_published_again(world: World) -> None:
    world.turns[:] = [calling(READ), words("done")]
    first = await world.owner("first")
    session = new_session()
    await world.alert(session)
    await world.request(session)
    await first.crash()

    await world.owner("second")
    again = await world.request(session, count=2)
    await world.result(again)
    await world.until_ended(session)


async def test_a_result_that_waited_in_the_inbox_is_used_before_anything_owed_is_made(world: World) -> None:
    world.turns[:] = [calling(READ), words("done")]
    first = await world.owner("first")
    first.forgets_everything()
    session = new_session()
    await world.alert(session)
    request = await world.request(session)
    await first.crash()
    published = len(await world.requests(session))
    await world.result(request, "it waited")

    second = await world.owner("second")
    log = await world.until_ended(session)
    assert [event.content for event in log.events(ToolCallCompleted)] == ["it waited"]
    assert len(await world.requests(session)) == published
    assert second.llm.calls_of(session) == 1, "only the second turn was left to ask for"


@pytest.mark.parametrize("name", ["inbox", "sessions"])
async def test_a_topic_that_ends_with_the_marker_of_a_transaction_is_read_to_its_end(world: World, name: str) -> None:
    """The marker takes an offset without a record. A stranger wrote it, or what copied the topic."""
    first = await world.owner("first")
    first.llm.may_answer.clear()
    session = new_session(partition=0)
    await world.alert(session)
    await until_asked(first, session)
    await first.stop()
    await write_in_transaction(world.bus, f"{world.bus.topics.prefix}.{name}", partition=0)

    await until_asked(await world.owner("second"), session)


async def test_an_owner_commits_behind_the_marker_of_a_transaction(world: World) -> None:
    """It takes an offset and holds no record: the lag of the group would be 1 until the next input."""
    await world.owner()
    await write_in_transaction(world.bus, world.bus.topics.inbox, partition=0)

    async def committed() -> bool:
        return await world.committed(0) == 2

    await eventually(committed, "the record and the marker are committed")
