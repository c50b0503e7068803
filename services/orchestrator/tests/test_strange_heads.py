"""Heads that lie in another session's partition, or promise what the log does not hold: they cost nobody else."""

from orchestrator_running import RunningOwner
from orchestrator_world import World, new_session

from tarsy_bus.partition_reader import Record
from tarsy_contracts.heads import session_of_head_key


async def open_session(world: World) -> tuple[RunningOwner, str]:
    """An owner whose model does not answer yet, and a session that waits for it."""
    owner, session = world.beginning("first"), new_session(partition=0)
    owner.llm.may_answer.clear()
    await owner.until_ready()
    await world.alert(session)
    await world.until(session, "llm_call.requested")
    await world.until_heads(session, (1, "open"))
    return owner, session


async def head_record(world: World, session_id: str) -> Record:
    heads = await world.records(world.bus.topics.heads)
    return [one for one in heads if session_of_head_key((one.key or b"").decode()) == session_id][-1]


async def copy_head(world: World, record: Record, *, to: int) -> None:
    await world.publisher.write(
        record.topic, key=record.key, value=record.value, headers=list(record.headers), partition=to
    )


async def test_a_head_in_the_next_partition_costs_nobody_his_start(world: World) -> None:
    """Its session is not in that partition of the log: the next owner looked for it there, and ended for ever."""
    first, session = await open_session(world)
    await copy_head(world, await head_record(world, session), to=1)
    await first.stop()
    await world.owner("second")
    await world.until_ended(session)
    beside = new_session(partition=1)
    await world.alert(beside)
    await world.until_ended(beside)
