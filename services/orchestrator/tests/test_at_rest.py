"""A session at rest still answers: the owner that saw it end, and one that knows it only by its head."""

import asyncio

import pytest
from aiokafka import TopicPartition
from orchestrator_world import World, new_session

from tarsy_bus.readers.span_readers import SpanReader
from tarsy_contracts.events import AlertRepeated
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_contracts.messages.inputs import AlertResolutionReported
from tarsy_orchestrator.partition import partition
from tarsy_orchestrator.partition.memory import rehydration, session_loader
from tarsy_orchestrator.partition.memory.session_table import SessionPlace
from tarsy_testing.real_servers import eventually
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import SessionLog


@pytest.fixture
def session() -> str:
    return new_session()


@pytest.fixture(params=["the owner that saw it end", "an owner that knows its head only"])
async def rested(world: World, session: str, request: pytest.FixtureRequest) -> SessionLog:
    """A session that has ended, and an owner."""
    first = await world.owner("first")
    last = await world.alert(session)
    log = await world.until_ended(session)
    await world.until_rested(session, number=len(log.accepted))
    if request.param == "an owner that knows its head only":
        await world.until_committed(last)
        await first.stop()
        await world.owner("second")
    return log


async def test_the_same_alert_is_noted_and_moves_the_head(world: World, session: str, rested: SessionLog) -> None:
    await world.alert(session, id="again")
    log = await world.until(session, "alert.repeated")
    assert log.types == [*rested.types, "alert.repeated"]
    assert log.events(AlertRepeated)[0].input_id == f"again/{session}"
    number = len(log.accepted)
    head = await world.until_rested(session, number)
    assert head.spans[0].first == log.accepted[0].offset
    assert head.spans[-1].last == log.accepted[-1].offset

    async def is_buried() -> bool:
        return (number - 1, None) in await world.heads(session)

    await eventually(is_buried, "the head of before has a tombstone")


async def test_a_resolution_is_noted_once_and_moves_the_head(world: World, session: str, rested: SessionLog) -> None:
    reported = AlertResolutionReported(source="alertmanager")
    await world.send(session, reported, id="resolved")
    await world.until(session, "alert.resolved")
    last = await world.send(session, reported, id="resolved")
    await world.until_committed(last)
    log = await world.log(session)
    assert log.types == [*rested.types, "alert.resolved"]
    assert chain_faults(log) == []
    head = await world.until_rested(session, number=len(log.accepted))
    assert head.spans[-1].last == log.accepted[-1].offset


async def test_a_resolution_of_an_alert_that_never_came_opens_nothing(world: World) -> None:
    unknown = new_session()
    await world.owner()
    last = await world.send(unknown, AlertResolutionReported(source="alertmanager"))
    await world.until_committed(last)
    assert (await world.log(unknown)).types == []
    assert await world.records(world.bus.topics.dead_letters) == []


@pytest.mark.usefixtures("rested")
async def test_the_very_same_input_is_not_noted_twice(world: World, session: str, rested: SessionLog) -> None:
    last = await world.alert(session)
    await world.until_committed(last)
    assert (await world.log(session)).types == rested.types


async def test_a_cancellation_is_refused_and_answered_the_same_when_asked_again(
    world: World, session: str, rested: SessionLog
) -> None:
    await world.cancel(session)
    (answer,) = await world.told(RequestAnswered)
    assert (answer.accepted, answer.code) == (False, 409)
    again = await world.cancel(session)
    assert await world.told(RequestAnswered, count=2) == [answer, answer]
    await world.until_committed(again)
    log = await world.log(session)
    assert log.types == [*rested.types, "request.refused"]
    await world.until_rested(session, number=len(log.accepted))


async def test_an_answer_on_record_is_told_by_an_owner_that_did_not_give_it(
    world: World, session: str, rested: SessionLog
) -> None:
    await world.cancel(session)
    (answer,) = await world.told(RequestAnswered)
    head = await world.until_rested(session, number=len(rested.accepted) + 1)
    for owner in world.owners:
        if not owner.task.done():
            await owner.stop()
    await world.owner("third")
    await world.cancel(session)
    assert await world.told(RequestAnswered, count=2) == [answer, answer]
    assert (await world.log(session)).accepted[-1].envelope.id == head.event_id


async def test_an_event_that_moves_a_head_only_session_is_no_alarm(
    world: World, session: str, capsys: pytest.CaptureFixture[str], rested: SessionLog
) -> None:
    """Heads may lag: then the next owner reads events of sessions whose state it does not hold."""
    for owner in world.owners:
        if not owner.task.done():
            await owner.stop()
    lagging = await world.owner("lagging")
    lagging.forgets_everything()
    await world.alert(session, id="again")
    await world.until(session, "alert.repeated")
    await lagging.crash()
    capsys.readouterr()

    await world.owner("next")
    await world.until_rested(session, number=len(rested.accepted) + 1)
    assert "session.set_aside" not in capsys.readouterr().out


async def test_inputs_that_wait_for_a_session_to_be_read_again_are_backlog(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = new_session(partition=0)
    first = await world.owner("first")
    last = await world.alert(session)
    log = await world.until_ended(session)
    await world.until_rested(session, number=len(log.accepted))
    await world.until_committed(last)
    await first.stop()

    may_read, really = asyncio.Event(), rehydration.rehydrate

    async def rehydrate(
        reader: SpanReader, number: int, session_id: str, place: SessionPlace
    ) -> rehydration.Rehydrated:
        await may_read.wait()
        return await really(reader, number, session_id, place)

    monkeypatch.setattr(session_loader, "rehydrate", rehydrate)
    monkeypatch.setattr(partition, "MOST_WAITING", 3)
    second = await world.owner("second")
    for number in range(5):
        last = await world.alert(session, id=f"again-{number}")
    place = TopicPartition(world.bus.topics.inbox, 0)

    async def paused() -> bool:
        return place in second.consumer.paused()

    await eventually(paused, "the inbox is not read further")
    may_read.set()
    await world.until_committed(last)
    assert sum(one.count for one in (await world.log(session)).events(AlertRepeated)) == 5
