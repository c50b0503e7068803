"""Heads that lie in another session's partition, or promise what the log does not hold: they cost nobody else."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from orchestrator_running import RunningOwner
from orchestrator_world import LOG_PARTITIONS, World, new_session, partition_of

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.log.head_rebuild import HeadRebuild, HeadsInUseError, check_unowned, plan_rebuild, write_rebuild
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.events.heads import SessionHead, Span, head_key
from tarsy_contracts.messages.workers import OwnedQueue, WorkerAnnounced
from tarsy_orchestrator.partition.take_over_schedule import REFUSED_SECONDS
from tarsy_testing.real_servers import eventually


async def open_session(world: World) -> tuple[RunningOwner, str]:
    """An owner whose model does not answer yet, and a session that waits for it."""
    owner, session = world.beginning("first"), new_session(partition=0)
    owner.llm.may_answer.clear()
    await owner.until_ready()
    await world.alert(session)
    await world.until(session, "llm_call.requested")
    await world.until_heads(session, (1, "open"))
    return owner, session


async def newest_record(world: World, session_id: str) -> Record:
    records = await world.records(world.bus.topics.heads)
    return [one for one in records if one.value is not None and (one.key or b"").startswith(session_id.encode())][-1]


async def copy_head(world: World, record: Record, *, to: int) -> None:
    await world.publisher.write(
        record.topic, key=record.key, value=record.value, headers=list(record.headers), partition=to
    )


async def test_a_head_in_the_next_partition_costs_nobody_his_start(world: World) -> None:
    """Its session is not in that partition of the log: the next owner looked for it there, and ended for ever."""
    first, session = await open_session(world)
    await copy_head(world, await newest_record(world, session), to=1)
    await first.stop()
    await world.owner("second")
    await world.until_ended(session)
    beside = new_session(partition=1)
    await world.alert(beside)
    await world.until_ended(beside)


NOTHING = HeadRebuild(0, (), (), (), right=0)


async def rebuilt(world: World, partition: int = 0) -> HeadRebuild:
    """What was written; afterwards nothing is left to do."""
    plan = await plan_rebuild(world.bus, partition)
    await write_rebuild(world.bus, plan, lambda: datetime.now(UTC))
    assert not (await plan_rebuild(world.bus, partition)).is_needed
    return plan


async def session_at_rest(world: World) -> tuple[str, SessionHead]:
    """Its owner has stopped."""
    owner, session = await world.owner("first"), new_session(partition=0)
    last = await world.alert(session)
    log = await world.until_ended(session)
    await world.until_committed(last)
    head = await world.until_rested(session, number=len(log.accepted))
    await owner.stop()
    return session, head


async def false_head(world: World, session_id: str, head: SessionHead) -> str:
    key = head_key(session_id, head.number)
    await world.publisher.publish(
        world.bus.topics.heads, head, key=key, id="false", subject=session_id, partition=partition_of(session_id)
    )
    return key


async def test_of_heads_as_owners_write_them_nothing_is_rebuilt(world: World) -> None:
    await session_at_rest(world)
    owner, _ = await open_session(world)
    await owner.stop()
    assert await plan_rebuild(world.bus, 0) == replace(NOTHING, right=2)


@pytest.mark.parametrize("false", ["another session", "a newer event of the session", "another event at its number"])
async def test_a_partition_whose_heads_do_not_fit_goes_on_once_they_are_made_from_the_log(
    world: World, false: str
) -> None:
    session, head = await session_at_rest(world)
    span = Span(first=0, last=head.offset + 1000)
    lie = head.model_copy(update={"offset": head.offset + 1000, "event_id": "0" * 32, "spans": (span,)})
    match false:
        case "another session":
            key = await false_head(world, new_session(partition=0), lie)
        case "a newer event of the session":
            key = await false_head(world, session, lie.model_copy(update={"number": head.number + 5}))
        case _:
            key = await false_head(world, session, lie)
    owner = world.beginning("second")
    await eventually(lambda: refuses(owner), "the partition is refused")
    plan = await rebuilt(world)
    assert (plan.false, plan.misplaced) == ((key,), ())
    owner.clock_ahead += REFUSED_SECONDS
    await world.alert(session, id="again")
    await world.until(session, "alert.repeated")


async def refuses(owner: RunningOwner) -> bool:
    return owner.refused.numbers == {0} and len(owner.queues) == LOG_PARTITIONS - 1


async def test_a_missing_head_is_made_from_the_log(world: World) -> None:
    """Without it an alert would begin the session anew, with number 1, and no other reader would see that."""
    session, head = await session_at_rest(world)
    await session_at_rest(world)
    key = head_key(session, head.number)
    await world.publisher.write(world.bus.topics.heads, key=key.encode(), value=None, headers=[], partition=0)
    plan = await rebuilt(world)
    assert plan == replace(NOTHING, lacking=((session, head),), right=1)
    await world.owner("third")
    await world.alert(session, id="again")
    await world.until(session, "alert.repeated")


async def test_misplaced_heads_get_tombstones_beside_the_owner(world: World) -> None:
    session, _ = await session_at_rest(world)
    await copy_head(world, await newest_record(world, session), to=1)
    await world.owner("second")
    plan = await rebuilt(world, partition=1)
    assert (len(plan.misplaced), plan.is_safe_beside_owner) == (1, True)
    beside = new_session(partition=1)
    await world.alert(beside)
    await world.until_ended(beside)


@pytest.mark.parametrize("queues", [{0: OwnedQueue(waiting=0, decided=0)}, None])
async def test_heads_are_not_rebuilt_while_somebody_owns_the_partition(
    world: World, queues: dict[int, OwnedQueue] | None
) -> None:
    """An orchestrator of before does not say what it owns."""
    said = WorkerAnnounced(worker_id="o", service="orchestrator", queues=queues)

    async def announce() -> None:
        while True:
            await world.publisher.publish(world.bus.topics.workers, said, key="o", id="o", subject="o")

    async with background_tasks(announce()):
        with pytest.raises(HeadsInUseError, match="orchestrator o owns partition 0"):
            await check_unowned(world.bus, 0, seconds=60)
