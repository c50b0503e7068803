"""Inputs and events that this version cannot read: dead letters, or a session that is set aside."""

from datetime import UTC, datetime
from typing import ClassVar

import pytest
from orchestrator_running import RunningOwner
from orchestrator_world import World, new_session

from tarsy_contracts import events
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages import inputs
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.story import ALERT


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

    await eventually(look, "the metric says that inputs are held")
    assert owner.counted("held_input_age_seconds") > 0


async def open_session(world: World, owner: RunningOwner, session_id: str) -> RecordedEvent:
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


async def test_an_input_in_the_partition_of_another_session_opens_no_second_life_there(
    world: World, session: str
) -> None:
    """It was written with another partitioner, or to a partition by its number."""
    await world.owner()
    stray, neighbour = inputs.AlertReceived(alert=ALERT), new_session(partition=1)
    envelope = envelope_of(stray, id="stray", source="test", subject=session, time=datetime.now(UTC))
    raw, headers = stray.to_bytes(), envelope.headers()
    inbox = world.bus.topics.inbox
    await world.publisher.write(inbox, key=session.encode(), value=raw, headers=headers, partition=1)
    last = await world.alert(neighbour)
    await world.until_ended(neighbour)
    await world.until_committed(last)
    assert (await world.log(session)).types == []
    (letter,) = await world.records(world.bus.topics.dead_letters)
    reason = b"it lies in partition 1, and its session in partition 0"
    assert ("dead-letter-reason", reason) in letter.headers


async def test_an_input_of_a_newer_type_sets_its_session_aside_while_others_and_the_offset_go_on(
    world: World, session: str, neighbour: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = await world.owner()
    await open_session(world, owner, session)
    await world.publisher.publish(world.bus.topics.inbox, Poked(), key=session, id="p", subject=session)
    await world.cancel(session)
    await until_held(owner, inputs=2)
    owner.llm.may_answer.set()
    await world.alert(neighbour)
    await world.until_ended(neighbour)

    log = await world.log(session)
    assert log.types[-1] == "llm_call.requested", "a later decision would count the newer input as decided"
    assert "input.held" in capsys.readouterr().out
    last = await world.alert(neighbour, id="again")
    await world.until_committed(last)


async def test_an_event_of_a_newer_type_sets_its_session_aside_while_others_and_the_offset_go_on(
    world: World, session: str, neighbour: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = await world.owner()
    last = await open_session(world, owner, session)
    await world.append(session, Pondered(), after=last)
    await world.cancel(session)
    await until_held(owner)
    owner.llm.may_answer.set()
    await world.alert(neighbour)
    await world.until_ended(neighbour)

    log = await world.log(session)
    assert log.types[-1] == "session.pondered"
    assert "session.set_aside" in capsys.readouterr().out
    last_alert = await world.alert(neighbour, id="again")
    await world.until_committed(last_alert)


async def test_a_session_at_rest_with_an_event_of_a_newer_type_is_set_aside_by_who_reads_it_again(
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
    await world.until_committed(asked)
    assert (await world.log(session)).types[-1] == "session.pondered"


async def test_who_knows_the_newer_type_goes_on_with_the_session_by_itself(
    world: World, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = await world.owner("older")
    last = await open_session(world, older, session)
    known = dict(inputs.INPUTS)
    monkeypatch.delitem(inputs.INPUTS, inputs.CancelRequested.type)
    monkeypatch.delitem(events.EVENTS, events.AlertRepeated.type)
    await world.cancel(session)
    other = new_session(partition=0)
    after = await open_session(world, older, other)
    await world.append(other, events.AlertRepeated(input_id="x", source="api"), after=after)
    await until_held(older)

    async def both() -> bool:
        return older.counted("sessions_aside") == 2

    await eventually(both, "both are set aside")
    await older.crash()
    monkeypatch.setitem(inputs.INPUTS, inputs.CancelRequested.type, known[inputs.CancelRequested.type])
    monkeypatch.setitem(events.EVENTS, events.AlertRepeated.type, events.AlertRepeated)

    newer = world.beginning("newer")
    newer.llm.may_answer.clear()  # the request to cancel comes back through the inbox, and must not come too late
    await newer.until_ready()
    assert (await world.until_ended(session)).types[-1] == "session.cancelled"
    newer.llm.may_answer.set()
    assert (await world.until_ended(other)).types[-1] == "session.completed"
    assert (await world.log(session)).accepted[-1].number > last.number
