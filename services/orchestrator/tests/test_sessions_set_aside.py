"""A session whose decision raises is set aside with its inputs; all others of the partition go on."""

from collections.abc import Sequence
from uuid import uuid4

import pytest
from orchestrator_running import RunningOwner, owned_by, until_it_owns
from orchestrator_world import LOG_PARTITIONS, World, calling, new_session, words

from tarsy_bus.readers.held_sessions import HeldInputs, read_held
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_orchestrator.effects import reconciler
from tarsy_orchestrator.partition import decision_batch, guarded_evolve
from tarsy_session.decide import decide_steps as really_decide
from tarsy_session.decision_input import DecisionInput
from tarsy_session.effects import QueuedEffect
from tarsy_session.evolve import evolve
from tarsy_session.lookahead import LookaheadStep
from tarsy_session.queue_requests import Route, route_of
from tarsy_session.state import Investigating, SessionState
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.story import READ

OTHERS = 20


class MistakeError(Exception):
    """Of the code, with what nobody has masked in its message."""

    def __init__(self) -> None:
        super().__init__("s3cret")


class Poison:
    """A decision on these sessions' inputs raises, as a mistake in the code would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sessions: set[str] = set()
        really = really_decide

        def decide_steps(session_id: str, state: SessionState, given: DecisionInput) -> list[LookaheadStep]:
            if session_id in self.sessions:
                raise MistakeError
            return really(session_id, state, given)

        monkeypatch.setattr(decision_batch, "decide_steps", decide_steps)


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Poison:
    return Poison(monkeypatch)


@pytest.fixture
def session() -> str:
    return new_session(partition=0)


async def ask(world: World, asked: i.OperatorRequest, session_id: str) -> RequestAnswered:
    """The owner's answer."""
    await world.send(session_id, asked, id=asked.request_id)

    async def look() -> RequestAnswered | None:
        answers = await world.controls(RequestAnswered)
        return next((one for one in answers if one.request_id == asked.request_id), None)

    return await eventually(look, f"an answer to {asked.type}")


def release(word: str = "release") -> i.SessionReleaseRequested:
    return i.SessionReleaseRequested(request_id=str(uuid4()), author="olga", request=word)


def end(reason: str = "no use") -> i.SessionFailRequested:
    return i.SessionFailRequested(request_id=str(uuid4()), author="olga", reason=reason)


async def held(world: World, session_id: str) -> HeldInputs | None:
    return (await read_held(world.bus, [0]))[0].get(session_id)


async def until_held(world: World, session_id: str, inputs: int) -> HeldInputs:
    async def look() -> HeldInputs | None:
        found = await held(world, session_id)
        return found if found is not None and len(found.inputs) == inputs else None

    return await eventually(look, f"{inputs} inputs are held")


async def until_released(world: World, session_id: str) -> None:
    async def look() -> bool:
        return await held(world, session_id) is None

    await eventually(look, "nothing of the session is held")


async def until_counted(owner: RunningOwner, name: str, value: float) -> None:
    async def look() -> bool:
        return owner.counted(name) == value

    await eventually(look, f"{name} is {value:g}")


async def letters(world: World, count: int) -> Sequence[dict[str, bytes]]:
    async def look() -> Sequence[dict[str, bytes]] | None:
        found = [dict(record.headers) for record in await world.records(world.bus.topics.dead_letters)]
        return found if len(found) == count else None

    return await eventually(look, f"{count} dead letters")


async def test_a_decision_that_raises_costs_its_session_and_no_other(
    world: World, session: str, poison: Poison, capsys: pytest.CaptureFixture[str]
) -> None:
    poison.sessions.add(session)
    owner = await world.owner()
    await world.alert(session)
    others = [new_session(partition=0) for _ in range(OTHERS)]
    for other in others:
        last = await world.alert(other)
    for other in others:
        await world.until_ended(other)
    await world.until_committed(last)
    assert (await world.log(session)).types == []

    aside = await until_held(world, session, inputs=1)
    assert (aside.why.reason, aside.why.detail) == ("decision", "MistakeError at alert.received")
    await until_counted(owner, "sessions_aside", 1)
    assert owner.counted("sessions_set_aside_total", reason="decision") == 1
    out = capsys.readouterr().out
    assert "session.set_aside" in out
    assert "s3cret" not in out


async def test_it_stays_set_aside_with_the_next_owner_and_comes_back_whole_and_in_order(
    world: World, session: str, poison: Poison
) -> None:
    poison.sessions.add(session)
    first = await world.owner("first")
    first.llm.may_answer.clear()
    await world.alert(session)
    last = await world.cancel(session)
    await until_held(world, session, inputs=2)
    await world.until_committed(last)
    await first.crash()

    poison.sessions.clear()
    second = await world.owner("second")
    second.llm.may_answer.clear()
    await until_counted(second, "inputs_held", 2)
    assert (await world.log(session)).types == []

    assert (await ask(world, release(), session)).code == 200
    log = await world.until_ended(session)
    assert log.types[0] == "session.started"
    assert log.types[-1] == "session.cancelled"
    await until_released(world, session)
    await until_counted(second, "sessions_aside", 0)


async def test_a_rebalance_keeps_it_aside_and_a_crash_in_the_middle_of_its_release_loses_nothing(
    world: World, session: str, poison: Poison
) -> None:
    world.turns[:] = [words("the cause is X")]
    first = await world.owner("first")
    first.llm.may_answer.clear()
    await world.alert(session)
    await world.until(session, "llm_call.requested")
    poison.sessions.add(session)
    await world.cancel(session)
    await until_held(world, session, inputs=1)

    first.ready.clear()
    second = world.beginning("second")
    second.llm.may_answer.clear()
    await until_it_owns(second, LOG_PARTITIONS // 2)
    await until_it_owns(first, LOG_PARTITIONS // 2)
    owner, other = (first, second) if 0 in owned_by(first) else (second, first)
    await until_counted(owner, "sessions_aside", 1)
    # It decides the release, and cannot bring anything back.
    owner.publisher.losing = frozenset({world.bus.topics.inbox, world.bus.topics.heads})
    asked = release("retry")
    await world.send(session, asked, id=asked.request_id)
    log = await world.until(session, "session.released")
    assert log.types[-1] == "session.released"
    poison.sessions.clear()
    await owner.crash()
    await until_it_owns(other, LOG_PARTITIONS)
    log = await world.until_ended(session)
    assert log.types[-1] == "session.cancelled"
    assert log.types.count("session.released") == 1
    await until_released(world, session)


async def test_one_that_goes_on_raising_is_set_aside_again_and_an_operator_ends_it(
    world: World, session: str, poison: Poison
) -> None:
    world.turns[:] = [calling(READ), words("the cause is X")]
    owner = await world.owner()
    await world.alert(session)
    await world.until(session, "tool_call.requested")
    poison.sessions.add(session)
    await world.cancel(session)
    await until_held(world, session, inputs=1)

    assert (await ask(world, release("retry"), session)).accepted
    await until_counted(owner, "sessions_set_aside_total", 2)
    await until_held(world, session, inputs=1)

    failing = end("no use")
    assert (await ask(world, failing, session)).accepted
    log = await world.until_ended(session)
    assert log.types[-4:] == ["tool_call.completed", "execution.completed", "stage.completed", "session.failed"]
    (letter,) = await letters(world, 1)
    assert letter["dead-letter-reason"] == b"ended by olga: no use"
    assert letter["ce_type"] == b"session.cancel_requested"
    await until_released(world, session)

    poison.sessions.clear()
    assert (await ask(world, release(), session)).code == 409
    assert (await ask(world, release(), new_session(partition=0))).code == 404
    assert (await world.log(session)).types[-1] == "request.refused"


async def test_a_session_that_never_began_is_ended_by_burying_its_inputs(
    world: World, session: str, poison: Poison
) -> None:
    poison.sessions.add(session)
    await world.owner()
    await world.alert(session)
    await until_held(world, session, inputs=1)
    assert (await ask(world, end("no use"), session)).accepted
    (letter,) = await letters(world, 1)
    assert letter["ce_type"] == b"alert.received"
    await until_released(world, session)
    assert (await world.log(session)).types == []


async def test_what_cannot_be_read_back_can_be_ended_and_rests_from_then_on(
    world: World, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: SessionState, record: RecordedEvent) -> SessionState:
        if record.session_id == session and record.envelope.type == "llm_call.requested":
            raise MistakeError
        return evolve(state, record)

    monkeypatch.setattr(guarded_evolve, "evolve", broken)
    first = await world.owner("first")
    await world.alert(session)
    neighbour = new_session(partition=0)
    await world.alert(neighbour)
    await world.until_ended(neighbour)
    await world.cancel(session)
    aside = await until_held(world, session, inputs=1)
    assert (aside.why.reason, aside.why.detail) == ("evolve", "MistakeError at llm_call.requested")
    answer = await ask(world, release(), session)
    assert (answer.code, "upgrade" in answer.reason) == (409, True)

    assert (await ask(world, end(), session)).accepted
    log = await world.until_ended(session)
    assert log.types[-2:] == ["session.released", "session.failed"]
    await until_released(world, session)
    await first.stop()

    second = await world.owner("second")
    last = await world.alert(session, id="again")
    await world.until_committed(last)
    assert (await world.log(session)).types[-1] == "alert.repeated"
    assert second.counted("sessions_set_aside_total") == 0


async def test_own_work_that_raises_costs_its_session_and_no_other(
    world: World, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {session}

    def route(session_id: str, state: Investigating, effect: QueuedEffect, attempt: int, partitions: int) -> Route:
        if session_id in broken:
            raise MistakeError
        return route_of(session_id, state, effect, attempt, partitions)

    monkeypatch.setattr(reconciler, "route_of", route)
    world.turns[:] = [calling(READ), words("the cause is X")]
    owner = await world.owner()
    await world.alert(session)
    aside = await until_held(world, session, inputs=0)
    assert (aside.why.reason, aside.why.detail) == ("work", "MistakeError")
    await until_counted(owner, "sessions_aside", 1)

    broken.clear()
    assert (await ask(world, release("retry"), session)).accepted
    request = await world.request(session)
    await world.result(request)
    assert (await world.until_ended(session)).types[-1] == "session.completed"


async def test_an_alert_whose_decision_fits_no_batch_lies_among_the_dead_letters(
    world: World, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_batch, "BATCH_BYTES", 500)
    owner = await world.owner()
    last = await world.alert(session)
    (letter,) = await letters(world, 1)
    assert letter["dead-letter-reason"].startswith(b"what followed from alert.received had ")
    await world.until_committed(last)
    assert owner.counted("dead_letters_total", reason="too_large") == 1
    assert (await world.log(session)).types == []
