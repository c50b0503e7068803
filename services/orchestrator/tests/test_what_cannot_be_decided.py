"""Inputs and events that this version cannot read: dead letters, or a session that is left alone."""

from typing import ClassVar

import pytest
from orchestrator_running import RunningOwner
from orchestrator_world import World, new_session, partition_of

from tarsy_contracts.message import Message
from tarsy_contracts.recorded import Recorded
from tarsy_testing import eventually


class Poked(Message):
    """An input that only newer code knows."""

    type: ClassVar[str] = "session.poked"


class Pondered(Message):
    """An event that only newer code knows."""

    type: ClassVar[str] = "session.pondered"


@pytest.fixture
def session() -> str:
    return new_session(partition=0)


@pytest.fixture
def neighbour() -> str:
    """Another session of the same partition."""
    return new_session(partition=0)


async def until_held(owner: RunningOwner, inputs: int = 1) -> None:
    async def look() -> bool:
        return owner.counted("inputs_held") == inputs

    await eventually(look, "the metric says that inputs wait for newer code")
    assert owner.counted("held_input_age_seconds") > 0


async def open_session(world: World, owner: RunningOwner, session_id: str) -> Recorded:
    """The session waits for its LLM call; returns its last event."""
    owner.llm.may_answer.clear()
    await world.alert(session_id)
    log = await world.until(session_id, "llm_call.requested")
    return log.accepted[-1]


async def test_what_has_no_readable_envelope_goes_to_the_dead_letters_and_is_committed_past(
    world: World, neighbour: str
) -> None:
    await world.owner()
    await world.publisher.write(
        world.bus.topics.inbox, key=b"anybody", value=b"not ours", headers=[("x", b"1")], partition=0
    )
    last = await world.alert(neighbour)
    await world.until_ended(neighbour)
    await world.until_committed(last)
    (letter,) = await world.records(world.bus.topics.dead_letters)
    assert letter.value == b"not ours"
    assert ("dead-letter-offset", b"0") in letter.headers


async def test_what_has_an_unreadable_body_goes_to_the_dead_letters_and_is_committed_past(
    world: World, session: str, neighbour: str
) -> None:
    await world.owner()

    class Torn(Message):
        type: ClassVar[str] = "session.cancel_requested"

    await world.publisher.publish(world.bus.topics.inbox, Torn(), key=session, id="torn", subject=session)
    last = await world.alert(neighbour)
    await world.until_ended(neighbour)
    await world.until_committed(last)
    (letter,) = await world.records(world.bus.topics.dead_letters)
    assert ("dead-letter-reason", b"session.cancel_requested: Field required at /request_id") in letter.headers


async def test_an_input_of_a_newer_type_holds_the_offset_and_its_session_while_others_go_on(
    world: World, session: str, neighbour: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = await world.owner()
    await open_session(world, owner, session)
    poked = await world.publisher.publish(world.bus.topics.inbox, Poked(), key=session, id="p", subject=session)
    await world.cancel(session)
    await until_held(owner, inputs=2)
    owner.llm.may_answer.set()
    await world.alert(neighbour)
    await world.until_ended(neighbour)

    log = await world.log(session)
    assert log.types[-1] == "llm_call.requested", "a later decision would count the newer input as decided"
    assert "input.held" in capsys.readouterr().out
    last = await world.alert(new_session(partition=1))
    await world.until_committed(last)
    assert await world.committed(0) == poked.offset


async def test_an_event_of_a_newer_type_leaves_its_session_alone_while_others_go_on(
    world: World, session: str, neighbour: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = await world.owner()
    last = await open_session(world, owner, session)
    await world.append(session, Pondered(), after=last)
    asked = await world.cancel(session)
    await until_held(owner)
    owner.llm.may_answer.set()
    await world.alert(neighbour)
    await world.until_ended(neighbour)

    log = await world.log(session)
    assert log.types[-1] == "session.pondered"
    assert "session.left_alone" in capsys.readouterr().out
    assert partition_of(session) == 0
    assert await world.committed(0) <= asked.offset


async def test_a_session_at_rest_with_an_event_of_a_newer_type_is_left_alone_by_who_reads_it_again(
    world: World, session: str
) -> None:
    first = await world.owner("first")
    last = await world.alert(session)
    log = await world.until_ended(session)
    await world.append(session, Pondered(), after=log.accepted[-1])
    await world.until_rested(session, number=len(log.accepted) + 1)
    await world.until_committed(last)
    await first.stop()

    second = await world.owner("second")
    asked = await world.cancel(session)
    await until_held(second)
    assert (await world.log(session)).types[-1] == "session.pondered"
    assert await world.committed(0) == asked.offset
