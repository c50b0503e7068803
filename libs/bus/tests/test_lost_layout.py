"""The record of the number of partitions is lost: it is made again as it was, or an operator is asked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from tarsy_bus.client.connection import Bus, Layout
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import WrongTopicsError, apply_topics, check_topics, compare_topics
from tarsy_contracts.events.heads import head_key
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_testing.real_servers import delete_topics
from tarsy_testing.servers.bus_kafka import add_partitions, delete_before, delete_topic

SESSIONS = [str(UUID(int=number)) for number in range(1, 41)]


@pytest.fixture
async def bare(bare: Bus) -> AsyncIterator[Bus]:
    """Whatever the test makes is deleted afterwards."""
    yield bare
    await delete_topics(bare)


async def write_heads(bus: Bus, sessions: Sequence[str], partition: Callable[[str], int]) -> None:
    """Tombstones: their keys lie where the sessions do."""
    async with (
        Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher,
        asyncio.TaskGroup() as group,
    ):
        for session in sessions:
            head = publisher.write(
                bus.topics.heads,
                key=head_key(session, 7).encode(),
                value=None,
                headers=[],
                partition=partition(session),
            )
            group.create_task(head)


def by(number: int) -> Callable[[str], int]:
    return lambda session: partition_of(session.encode(), number)


async def grow(bus: Bus, number: int) -> None:
    await add_partitions(bus, bus.topics.inbox, bus.topics.sessions, bus.topics.heads, bus.topics.held, until=number)


async def lose_record(bus: Bus) -> None:
    await delete_before(bus, bus.topics.layout, 0, 1)


async def number_after_apply(bus: Bus, asked: int | None = None) -> int:
    await apply_topics(replace(bus, layout=Layout()), log_partitions=asked)
    later = replace(bus, layout=Layout())
    await check_topics(later)
    return later.layout.log_partitions


@pytest.mark.parametrize("whole_topic", [False, True], ids=["its record", "its topic"])
async def test_the_number_of_a_large_site_is_found_again(bare: Bus, whole_topic: bool) -> None:
    """The default would send each session to another partition than the one that it lies in."""
    await apply_topics(bare, log_partitions=30)
    await write_heads(bare, SESSIONS, by(30))
    await (delete_topic(bare, bare.topics.layout) if whole_topic else lose_record(bare))
    with pytest.raises(WrongTopicsError, match=f"topic {bare.topics.layout} .*Run `tarsy topics apply`"):
        await check_topics(replace(bare, layout=Layout()))
    assert (await compare_topics(bare)).misfits == []
    with pytest.raises(WrongTopicsError, match=r"have 30 partitions for good.*: 12 need another cluster"):
        await apply_topics(bare, log_partitions=12)
    assert await number_after_apply(bare) == 30


async def test_an_apply_that_died_before_the_first_session_is_ended_as_it_began(bare: Bus) -> None:
    await apply_topics(bare, log_partitions=5)
    await lose_record(bare)
    assert await number_after_apply(bare) == 5


async def test_the_sessions_tell_the_number_where_all_topics_were_grown(bare: Bus) -> None:
    """To 30: the number was the default, or one that is neither."""
    await apply_topics(bare)
    await write_heads(bare, SESSIONS, by(12))
    await write_heads(bare, ["a stranger's"], lambda _: 11)
    await grow(bare, 30)
    await lose_record(bare)
    assert await number_after_apply(bare) == 12


async def test_a_number_that_is_neither_the_default_nor_that_of_the_topics_is_found(bare: Bus) -> None:
    await apply_topics(bare, log_partitions=7)
    await write_heads(bare, SESSIONS, by(7))
    await grow(bare, 30)
    await lose_record(bare)
    assert await number_after_apply(bare) == 7


async def test_where_few_sessions_fit_two_numbers_the_operator_says_which(bare: Bus) -> None:
    await apply_topics(bare)
    await write_heads(bare, [next(one for one in SESSIONS if by(12)(one) == by(30)(one))], by(12))
    await grow(bare, 30)
    await lose_record(bare)
    said = f"topic {bare.topics.layout} has lost the number of partitions, which was 12 or 30: say which with --part"
    (misfit,) = (await compare_topics(bare)).misfits
    assert said in misfit
    with pytest.raises(WrongTopicsError, match=said):
        await apply_topics(bare)
    with pytest.raises(WrongTopicsError, match=said):
        await apply_topics(bare, log_partitions=11)
    assert await number_after_apply(bare, 12) == 12


async def test_a_log_without_heads_does_not_tell_the_number(bare: Bus) -> None:
    await apply_topics(bare)
    async with LogWriter(bare).running() as writer:
        await writer.append(0, [LogEntry(b"s", b"{}", [])])
    await grow(bare, 30)
    await lose_record(bare)
    with pytest.raises(WrongTopicsError, match="which was 12 or 30: say which"):
        await apply_topics(bare)


async def test_sessions_that_lie_as_no_number_has_it_are_refused(bare: Bus) -> None:
    await apply_topics(bare)
    await write_heads(bare, SESSIONS, lambda session: (by(12)(session) + 1) % 12)
    await lose_record(bare)
    with pytest.raises(WrongTopicsError, match="sessions lie as none would have it: they are another cluster's"):
        await apply_topics(bare)
