"""Sixty live sessions, and owners that join, leave and die: nothing is lost, and what stays keeps its running calls."""

import time
from dataclasses import dataclass, field

import pytest
from orchestrator_running import RunningOwner, owned_by, until_it_owns
from orchestrator_world import LOG_PARTITIONS, World, new_session, partition_of

from tarsy_contracts import events as e
from tarsy_testing.measured import measured
from tarsy_testing.real_servers import eventually

SESSIONS = 60
MOVED = SESSIONS // 2 + SESSIONS // 3 + SESSIONS // 3 + SESSIONS // 2
"""When the second joins, when the third does, when the second leaves, when the third dies."""


@dataclass
class Load:
    """`asked`: how often the model should have been asked for each session, as partitions moved so far.

    `heard`: how often an owner had asked for a session when it was looked at last.
    """

    world: World
    sessions: list[str]
    asked: dict[str, int] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    heard: dict[tuple[str, str], int] = field(default_factory=dict)

    async def spread_over(self, *living: RunningOwner) -> None:
        """Waits until these have gone on with everything, and counts what moved."""
        began = time.monotonic()
        for owner in living:
            await until_it_owns(owner, LOG_PARTITIONS // len(living))
        for owner in living:
            mine = [session for session in self.sessions if partition_of(session) in owned_by(owner)]
            moved = [session for session in mine if self.owners.get(session) != owner.name]
            await self._until_asked_again(owner, moved)
            for session in moved:
                self.owners[session] = owner.name
                self.asked[session] = self.asked.get(session, 0) + 1
        measured(f"{len(living)} owners went on with {len(self.sessions)} sessions", time.monotonic() - began)

    async def _until_asked_again(self, owner: RunningOwner, sessions: list[str]) -> None:
        """An owner that had a session before has asked for it then, and asks once more."""
        before = {session: self.heard.get((owner.name, session), 0) for session in sessions}

        async def look() -> bool:
            return all(owner.llm.calls_of(session) > count for session, count in before.items())

        await eventually(look, f"{owner.name} makes the LLM calls of {len(sessions)} sessions")
        self.heard |= {(owner.name, session): owner.llm.calls_of(session) for session in sessions}

    def asked_in_truth(self) -> dict[str, int]:
        return {id: sum(owner.llm.calls_of(id) for owner in self.world.owners) for id in self.sessions}


def joining(world: World, name: str, *others: RunningOwner) -> RunningOwner:
    """Its model, like that of the others, answers when the test wants it."""
    for owner in others:
        owner.ready.clear()
    one = world.beginning(name)
    one.llm.may_answer.clear()
    return one


@pytest.mark.timing
async def test_nothing_is_lost_while_owners_join_leave_and_die(world: World) -> None:
    first = joining(world, "first")
    load = Load(world, [new_session(number % LOG_PARTITIONS) for number in range(SESSIONS)])
    for session in load.sessions:
        await world.alert(session)
    await load.spread_over(first)
    second = joining(world, "second", first)
    await load.spread_over(first, second)
    third = joining(world, "third", first, second)
    await load.spread_over(first, second, third)
    first.ready.clear()
    third.ready.clear()
    await second.stop()
    await load.spread_over(first, third)
    first.ready.clear()
    await third.crash()
    await load.spread_over(first)
    assert load.asked_in_truth() == load.asked
    assert sum(load.asked.values()) == SESSIONS + MOVED, "what need not move stays"

    first.llm.may_answer.set()
    for session in load.sessions:
        told = await world.until_ended(session)
        assert len(told.events(e.LlmCallCompleted)) == 1
        assert told.types[-1] == "session.completed"
    assert load.asked_in_truth() == load.asked
