"""The end of a session is told when the API shows it; nothing of the session overtakes it."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

import pytest

from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.timeline import endings as module
from tarsy_websocket_gateway.timeline.endings import Endings, Place
from tarsy_websocket_gateway.timeline.timeline_api import TimelineApi, TimelineUnavailableError
from tarsy_websocket_gateway.timeline.timeline_progress import TimelineProgress


class MadeUpTimeline(TimelineApi):
    """`projected` is how far it got; None while it does not answer."""

    def __init__(self) -> None:
        super().__init__("http://nowhere", {})
        self.projected: int | None = 0
        self.asked = 0

    async def positions(self) -> dict[int, int]:
        self.asked += 1
        if self.projected is None:
            raise TimelineUnavailableError("away")
        return {0: self.projected, 1: 0}


@dataclass
class World:
    timeline: MadeUpTimeline = field(default_factory=MadeUpTimeline)
    told: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.progress = TimelineProgress(self.timeline)
        self.endings = Endings(self.publish, self.progress)

    def publish(self, session_id: str, messages: Iterable[Outgoing]) -> None:
        self.told += [(session_id, message.text) for message in messages]

    async def until_told(self, *told: tuple[str, str]) -> None:
        async def so() -> bool:
            return self.told == list(told)

        await eventually(so, f"{told} is told")


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """While the API does not show an end, it is held for as long as a test may take."""
    monkeypatch.setattr(module, "LONGEST_SECONDS", WAIT_SECONDS)
    world = World()
    tasks = [asyncio.create_task(world.progress.run()), asyncio.create_task(world.endings.run())]
    yield world
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def message(text: str) -> list[Outgoing]:
    return [Outgoing("session.status", text, 1)]


async def until_asked(world: World, times: int) -> None:
    async def so() -> bool:
        return world.timeline.asked >= times

    await eventually(so, "the timeline was asked")


async def test_an_end_is_told_when_the_api_shows_it_and_the_rest_of_the_session_after_it(world: World) -> None:
    world.endings.publish("a", message("begins"))
    world.endings.publish("a", message("completed"), Place(0, 6))
    world.endings.publish("a", message("asked"))
    world.endings.publish("b", message("goes on"))
    await until_asked(world, 3)
    assert world.told == [("a", "begins"), ("b", "goes on")]

    world.timeline.projected = 6
    await until_asked(world, 6)
    assert len(world.told) == 2

    world.timeline.projected = 7
    await world.until_told(("a", "begins"), ("b", "goes on"), ("a", "completed"), ("a", "asked"))
    world.endings.publish("a", message("live"))
    assert world.told[-1] == ("a", "live")


async def test_two_ends_of_a_session_are_told_in_order(world: World) -> None:
    world.endings.publish("a", message("completed"), Place(1, 0))
    world.endings.publish("a", message("deleted"), Place(0, 0))
    world.timeline.projected = 1
    await until_asked(world, 5)
    assert world.told == []


async def test_while_the_api_is_away_an_end_is_told_late(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_SECONDS", 0.01)
    world.timeline.projected = None
    world.endings.publish("a", message("completed"), Place(0, 6))
    await world.until_told(("a", "completed"))


async def test_nobody_asks_the_api_while_nothing_is_held(world: World) -> None:
    world.endings.publish("a", message("completed"), Place(0, 6))
    world.timeline.projected = 7
    await world.until_told(("a", "completed"))
    asked = world.timeline.asked
    for _ in range(20):
        await asyncio.sleep(0)
    assert world.timeline.asked <= asked + 1
