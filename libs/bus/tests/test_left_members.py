"""A killed member of a group is waited for until its session is over, unless it is taken out on its behalf."""

import asyncio
import dataclasses

import pytest
from aiokafka import AIOKafkaConsumer

from tarsy_bus.client.aiokafka_internals.client_tasks import abandon
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.queues.departed_members import remove_all_members
from tarsy_bus.queues.start_positions import AssignedPartitions
from tarsy_testing.servers.bus_kafka import make_topic

SESSION_SECONDS = 300.0
"""So long a killed member is waited for."""
LIMIT_SECONDS = 120.0


@pytest.fixture
def patient(bare: Bus) -> Bus:
    return dataclasses.replace(bare, session_timeout_ms=int(SESSION_SECONDS * 1000))


async def test_who_joins_after_a_killed_member_that_was_taken_out_waits_for_nobody(patient: Bus) -> None:
    await make_topic(patient, patient.topics.tool_calls)
    group, other = f"{patient.topics.prefix}.group", f"{patient.topics.prefix}.other"
    killed, bystander, next_one = member(patient, group), member(patient, other), member(patient, group)
    try:
        for one in (killed, bystander):
            await join(patient, one)
        # As with kill -9: the connections close, and nobody leaves the group.
        await abandon(killed)
        assert await remove_all_members(patient, [group, f"{patient.topics.prefix}.never*"]) == 1
        await join(patient, next_one)
        assert next_one.assignment() == bystander.assignment()
    finally:
        for one in (killed, bystander, next_one):
            await stop_client(one)


async def test_groups_are_named_by_patterns_and_a_cluster_without_them_has_no_member(patient: Bus) -> None:
    await make_topic(patient, patient.topics.tool_calls)
    one = member(patient, f"{patient.topics.prefix}.timeline-1")
    try:
        await join(patient, one)
        assert await remove_all_members(patient, [f"{patient.topics.prefix}.orchestrator"]) == 0
        assert await remove_all_members(patient, [f"{patient.topics.prefix}.timeline*"]) == 1
    finally:
        await abandon(one)
        await stop_client(one)


async def test_members_of_several_groups_are_taken_out(patient: Bus) -> None:
    """A killed `tarsy up` leaves members of six groups. aiokafka reads an answer about several groups wrongly."""
    await make_topic(patient, patient.topics.tool_calls)
    groups = [f"{patient.topics.prefix}.{name}" for name in ("ingest", "orchestrator", "timeline")]
    killed, next_ones = ([member(patient, group) for group in groups] for _ in range(2))
    try:
        for one in killed:
            await join(patient, one)
            await abandon(one)
        assert await remove_all_members(patient, [f"{patient.topics.prefix}.*"]) == len(groups)
        for one in next_ones:
            await join(patient, one)
    finally:
        for one in (*killed, *next_ones):
            await stop_client(one)


async def join(bus: Bus, one: AIOKafkaConsumer) -> None:
    """Returns when the member has partitions."""
    one.subscribe([bus.topics.tool_calls], listener=AssignedPartitions(one, may_skip=True))
    await start_client(one)
    async with asyncio.timeout(LIMIT_SECONDS):
        while not one.assignment():
            await one.getmany(timeout_ms=50)
