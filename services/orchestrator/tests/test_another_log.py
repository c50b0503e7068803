"""An inbox or a log that does not fit what is known of it is refused with a sentence, never jumped over.

It costs its own partition: the others of the owner go on, and it does as soon as it fits again.
"""

import pytest
from aiokafka import TopicPartition
from aiokafka.admin.records_to_delete import RecordsToDelete
from orchestrator_running import RunningOwner
from orchestrator_world import LOG_PARTITIONS, World, new_session, partition_of

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.topics.topics_admin import admin, apply_topics
from tarsy_contracts.events.heads import SessionHead, Span, head_key
from tarsy_orchestrator.partition.refused_partitions import RefusedPartitions
from tarsy_orchestrator.partition.take_over_schedule import REFUSED_SECONDS
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import delete_topic
from tarsy_verification.session_log import SessionLog

OTHERS = "0" * 32
"""The id of an event of another cluster."""


async def promise(world: World, session_id: str, head: SessionHead) -> None:
    key = head_key(session_id, head.number)
    partition = partition_of(session_id)
    topic = world.bus.topics.heads
    await world.publisher.publish(topic, head, key=key, id="head", subject=session_id, partition=partition)


def at_rest(number: int, offset: int, event_id: str = OTHERS) -> SessionHead:
    span = Span(first=0, last=offset)
    return SessionHead(phase="rest", number=number, offset=offset, event_id=event_id, decided=0, spans=(span,))


def opened(offset: int) -> SessionHead:
    return SessionHead(phase="open", number=1, offset=offset, event_id=OTHERS, decided=0, spans=())


async def delete(world: World, topic: str, partition: int, *, below: int) -> None:
    async with admin(world.bus) as client:
        await client.delete_records({TopicPartition(topic, partition): RecordsToDelete(below)})


async def refusal(owner: RunningOwner) -> str:
    """The sentence by which its partition 0 alone is refused. All others are owned."""

    async def look() -> str | None:
        assert not owner.task.done()
        reasons = owner.refused.explain_degraded()
        return reasons[0] if reasons and owner.queues.keys() == set(range(1, LOG_PARTITIONS)) else None

    return await eventually(look, f"{owner.name} refuses partition 0, and owns the others")


async def end_of(owner: RunningOwner) -> str:
    """The sentence that ended the owner."""
    ended = await owner.until_ended()
    while isinstance(ended, BaseExceptionGroup):
        (ended,) = ended.exceptions
    assert isinstance(ended, LogMismatchError)
    return str(ended)


async def has_tombstone(world: World, session_id: str) -> bool:
    return any(head is None for _, head in await world.heads(session_id))


@pytest.fixture
def session() -> str:
    return new_session(partition=0)


async def investigated(world: World, session_id: str) -> SessionLog:
    """A session that ran to its end; its owner has stopped."""
    owner = await world.owner("first")
    last = await world.alert(session_id)
    log = await world.until_ended(session_id)
    await world.until_rested(session_id, number=len(log.accepted))
    await world.until_committed(last)
    await owner.stop()
    return log


async def test_heads_that_promise_more_than_the_log_holds(world: World, session: str) -> None:
    await promise(world, session, at_rest(number=10, offset=100))
    sentence = await refusal(world.beginning("owner"))
    assert sentence == (
        f"{world.bus.topics.sessions} partition 0 holds offsets 0 to 0, but reading should go on at 101: "
        "it was emptied, or it is another cluster's"
    )


async def test_a_log_that_holds_another_event_where_a_session_rests(world: World, session: str) -> None:
    log = await investigated(world, session)
    last = log.accepted[-1]
    await promise(world, session, at_rest(number=last.number + 1, offset=last.offset))
    assert f"should hold event {OTHERS} at offset {last.offset}" in await refusal(world.beginning("owner"))


async def test_a_log_that_does_not_hold_the_opener_of_an_open_session(world: World, session: str) -> None:
    log = await investigated(world, session)
    await promise(world, new_session(partition=0), opened(offset=1))
    assert log.accepted[1].offset == 1
    assert "should hold the openers of 1 open sessions" in await refusal(world.beginning("owner"))


async def test_a_log_that_was_emptied_below_an_open_session(world: World, session: str) -> None:
    first = await world.owner("first")
    first.llm.may_answer.clear()
    await world.alert(session)
    log = await world.until(session, "llm_call.requested")
    await world.until_committed(await world.cancel(new_session(partition=0)))
    await world.until_heads(session, (1, "open"))
    await first.stop()
    await delete(world, world.bus.topics.sessions, 0, below=len(log.accepted))
    assert "but reading should go on at 0: it was emptied" in await refusal(world.beginning("second"))


async def test_heads_that_are_made_anew_under_a_running_owner(world: World, session: str) -> None:
    """Heads without those of before would hide its sessions from the next owner: an alert would begin them anew."""
    first = await world.owner("first")
    await world.alert(session)
    log = await world.until_ended(session)
    await world.until_rested(session, number=len(log.accepted))
    await eventually(lambda: has_tombstone(world, session), "nothing of it is on its way to the topic")
    await delete_topic(world.bus, world.bus.topics.heads)
    await apply_topics(world.bus)
    await world.alert(new_session(partition=0))
    sentence = await end_of(first)
    assert sentence.startswith(f"{world.bus.topics.heads} partition 0 ends at 0, but it has held records up to offset ")
    assert await world.heads(session) == []
    # The topic is empty: the next owner finds the sessions in the log.
    await world.owner("second")
    await world.alert(session, id="again")
    await world.until(session, "alert.repeated")
    await world.until_rested(session, number=len(log.accepted) + 1)


async def test_an_inbox_that_was_deleted_before_it_was_decided(world: World, session: str) -> None:
    await investigated(world, session)
    for _ in range(2):
        await world.alert(new_session(partition=0))
    await delete(world, world.bus.topics.inbox, 0, below=3)
    sentence = await refusal(world.beginning("second"))
    assert "partition 0 holds offsets 3 to 3, but reading should go on at 1" in sentence


async def test_an_inbox_that_is_shorter_than_the_log_tells(world: World, session: str) -> None:
    """Every input in it would look as if it had been decided."""
    log = await investigated(world, session)
    last = log.accepted[-1]
    head = at_rest(number=last.number, offset=last.offset, event_id=last.envelope.id)
    promised = head.model_copy(update={"number": last.number + 1, "decided": 7})
    await promise(world, session, promised)
    assert "inputs decided up to 7" in await refusal(world.beginning("second"))


async def test_the_other_partitions_of_the_owner_go_on_and_a_partition_that_fits_again_does(
    world: World, session: str
) -> None:
    """The process ended, and with it the sessions of eleven partitions that were as they should be."""
    false = at_rest(number=10, offset=100)
    await promise(world, session, false)
    owner = world.beginning("owner")
    await refusal(owner)
    beside = new_session(partition=1)
    await world.alert(beside)
    await world.until_ended(beside)
    await world.alert(session)
    await world.publisher.write(
        world.bus.topics.heads, key=head_key(session, 10).encode(), value=None, headers=[], partition=0
    )
    owner.clock_ahead += REFUSED_SECONDS
    await world.until_ended(session)
    assert owner.refused.explain_degraded() == []


def test_an_owner_without_any_partition_that_fits_is_not_ready() -> None:
    refused = RefusedPartitions(lambda count: None)
    refused.refuse(0, "another log")
    refused.end(frozenset({0}))
    assert (refused.unready_reasons(), refused.explain_degraded()) == (["another log"], [])
    refused.begin()
    refused.refuse(0, "another log")
    refused.end(frozenset({0, 1}))
    assert (refused.unready_reasons(), refused.explain_degraded()) == ([], ["another log"])
    refused.begin()
    refused.end(frozenset({0, 1}))
    assert refused.numbers == frozenset()
