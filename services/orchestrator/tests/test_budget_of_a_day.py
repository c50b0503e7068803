"""Two owners and the budget of a day: each knows what the other's sessions used, and a new owner what the old one's."""

import asyncio
from datetime import UTC, datetime

from orchestrator_running import RunningOwner, owned_by, until_it_owns
from orchestrator_world import LOG_PARTITIONS, World, config, new_session, partition_of

from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_verification.session_log import SessionLog

TOKENS = 10
"""Of one answer of the model."""


def budget_of(tokens: int) -> Config:
    written = config().model_dump(exclude={"system"}, exclude_defaults=True)
    return Config.model_validate({**written, "system": {"budgets": {"day": {"tokens": tokens}}}})


async def investigate(world: World, partition: int) -> SessionLog:
    session = new_session(partition)
    await world.alert(session)
    return await world.until_ended(session)


async def until_known(owner: RunningOwner, tokens: int) -> None:
    day = datetime.now(UTC).date().isoformat()

    async def look() -> bool:
        return owner.spendings.of_day(day, "day").tokens == tokens

    await eventually(look, f"{owner.name} knows of {tokens} tokens")


async def test_what_one_owner_spent_ends_a_session_of_the_other_and_outlives_its_death(world: World) -> None:
    world.config = budget_of(2 * TOKENS)
    first = await world.owner("first")
    second = await world.owner("second")
    await until_it_owns(first, LOG_PARTITIONS // 2)
    await until_it_owns(second, LOG_PARTITIONS // 2)
    mine, others = min(owned_by(first)), min(owned_by(second))
    assert (await investigate(world, mine)).types[-1] == "session.completed"
    await until_known(second, TOKENS)
    assert (await investigate(world, others)).types[-1] == "session.completed"
    await until_known(first, 2 * TOKENS)

    for partition in (mine, others):
        log = await investigate(world, partition)
        (reached,) = log.events(e.BudgetReached)
        assert (reached.spent, reached.limit, log.types[-1]) == (20.0, 20.0, "session.failed")

    await first.crash()
    await until_it_owns(second, LOG_PARTITIONS)
    third = await investigate(world, mine)
    assert partition_of(third.accepted[0].session_id) == mine
    assert third.types[-1] == "session.failed"
    await until_known(second, 2 * TOKENS)


async def test_sessions_of_both_owners_at_once_exceed_it_by_what_is_under_way_and_both_know_the_sum(
    world: World,
) -> None:
    """Each session asks once, and may conclude once: nobody waits for a lock, and nobody begins after the end."""
    limit, at_once = 2, 4
    world.config = budget_of(limit * TOKENS)
    first, second = await world.owner("first"), await world.owner("second")
    await until_it_owns(first, LOG_PARTITIONS // 2)
    await until_it_owns(second, LOG_PARTITIONS // 2)
    partitions = [*sorted(owned_by(first))[:at_once], *sorted(owned_by(second))[:at_once]]
    logs = await asyncio.gather(*(investigate(world, partition) for partition in partitions))
    calls = sum(len(log.events(e.LlmCallCompleted)) for log in logs)
    assert limit <= calls <= limit + 2 * len(partitions)
    for owner in (first, second):
        await until_known(owner, calls * TOKENS)
    for partition in partitions[::at_once]:
        late = await investigate(world, partition)
        assert (late.types[-1], late.events(e.LlmCallRequested)) == ("session.failed", [])
