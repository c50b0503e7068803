"""Histories for many clients at once: few requests, each history made once, a timeline that lags is asked again."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from tarsy_bus.acceptance import LastAccepted
from tarsy_contracts.api.chains import AskedSession, SessionSnapshot
from tarsy_testing.real_servers import eventually
from tarsy_websocket_gateway.errors import HistoryUnavailableError
from tarsy_websocket_gateway.timeline import history_desk as module
from tarsy_websocket_gateway.timeline.history_desk import MOST_IN_A_REQUEST, MOST_REQUESTS, HistoryDesk, Snapshot
from tarsy_websocket_gateway.timeline.timeline_api import Snapshots, TimelineApi, TimelineUnavailableError

WAIT_SECONDS = 90.0
LATE = 3


class MadeUpTimeline(TimelineApi):
    """Knows each session up to the event `number`; gets one event and one offset further with each request. It knows
    `unknown` never, and `late` from the third request on."""

    def __init__(self) -> None:
        super().__init__("http://nowhere", {})
        self.requests: list[list[str]] = []
        self.number, self.away, self.answers = 0, False, asyncio.Event()
        self.answers.set()

    async def is_busy(self) -> bool:
        return len(self.requests) == MOST_REQUESTS

    async def histories(self, asked: Sequence[AskedSession]) -> Snapshots:
        self.requests.append([one.session_id for one in asked])
        await self.answers.wait()
        if self.away:
            raise TimelineUnavailableError("away")
        self.number += 1
        found = [
            SessionSnapshot(
                session_id=one.session_id,
                partition=0,
                event_id="e",
                number=self.number,
                history=None,
                reached=self.number >= max(one.number, one.offset),
            )
            for one in asked
            if one.session_id != "unknown" and (one.session_id != "late" or self.number >= LATE)
        ]
        return Snapshots({0: self.number}, {one.session_id: one for one in found})


@pytest.fixture
def timeline() -> MadeUpTimeline:
    return MadeUpTimeline()


@pytest.fixture
async def desk(timeline: MadeUpTimeline) -> AsyncIterator[HistoryDesk]:
    desk = HistoryDesk(timeline)
    task = asyncio.create_task(desk.run())
    yield desk
    task.cancel()
    await asyncio.wait([task])


def session(session_id: str, number: int = 0, offset: int = 0, partition: int = 0) -> AskedSession:
    return AskedSession(session_id=session_id, number=number, partition=partition, offset=offset)


async def all_of(desk: HistoryDesk, asked: Sequence[AskedSession]) -> list[Snapshot]:
    async with asyncio.timeout(WAIT_SECONDS):
        return list(await asyncio.gather(*(desk.snapshot(one) for one in asked)))


async def test_many_who_want_the_same_are_one_question(desk: HistoryDesk, timeline: MadeUpTimeline) -> None:
    found = await all_of(desk, [session("a")] * 100)
    assert timeline.requests == [["a"]]
    assert all(one is found[0] for one in found)


async def test_many_sessions_are_few_requests(desk: HistoryDesk, timeline: MadeUpTimeline) -> None:
    timeline.answers.clear()
    waiting = asyncio.create_task(all_of(desk, [session(f"s{number}") for number in range(100)]))
    await eventually(timeline.is_busy, "all requests are on their way")
    timeline.answers.set()
    await waiting
    assert len(timeline.requests) == 100 / MOST_IN_A_REQUEST
    assert sorted(one for request in timeline.requests for one in request) == sorted(f"s{n}" for n in range(100))


async def test_sessions_of_a_partition_are_asked_about_together(desk: HistoryDesk, timeline: MadeUpTimeline) -> None:
    """The stream of their partition is then moved back once for all of them."""
    partitions = {f"s{number}": number % 24 for number in range(100)}
    await all_of(desk, [session(name, partition=number) for name, number in partitions.items()])
    asked = [partitions[name] for request in timeline.requests for name in request]
    assert asked == sorted(asked)


@pytest.mark.parametrize("asked", [session("a", number=3), session("a", offset=3)])
async def test_a_timeline_that_is_not_there_yet_is_asked_again(
    desk: HistoryDesk, timeline: MadeUpTimeline, asked: AskedSession
) -> None:
    [found] = await all_of(desk, [asked])
    assert (len(timeline.requests), found.position, found.known) == (3, 3, LastAccepted("e", 3))


async def test_who_wants_more_than_is_asked_for_asks_itself(desk: HistoryDesk, timeline: MadeUpTimeline) -> None:
    timeline.number = 10
    await all_of(desk, [session("a", number=2), session("a", number=5), session("a", number=3)])
    assert sum(request.count("a") for request in timeline.requests) <= 2


async def test_an_answer_to_somebody_who_wants_more_is_no_answer_where_it_does_not_reach(
    desk: HistoryDesk, timeline: MadeUpTimeline
) -> None:
    """Both are in one request, in which the session is named once: a client got an empty history."""
    found = await all_of(desk, [session("a", number=1), session("a", number=4)])
    assert [one.reached for one in found] == [True, True]
    assert timeline.number >= 4


async def test_a_session_that_nobody_knows_has_a_position_and_nothing_else(desk: HistoryDesk) -> None:
    assert await all_of(desk, [session("unknown")]) == [Snapshot(1, reached=True, known=None, history=None)]


async def test_a_session_of_which_there_are_events_already_is_asked_for_until_the_timeline_knows_it(
    desk: HistoryDesk, timeline: MadeUpTimeline
) -> None:
    """The gateway had read its first events before the timeline: who came then was told nothing of them."""
    nothing, [found] = await all_of(desk, [session("late")]), await all_of(desk, [session("late", number=2)])
    assert nothing == [Snapshot(1, reached=True, known=None, history=None)]
    assert (len(timeline.requests), found.known) == (LATE, LastAccepted("e", LATE))


async def test_while_the_timeline_is_away_there_is_no_history(desk: HistoryDesk, timeline: MadeUpTimeline) -> None:
    timeline.away = True
    with pytest.raises(HistoryUnavailableError):
        await desk.snapshot(session("a"))
    timeline.away = False
    assert len(await all_of(desk, [session("a")])) == 1


async def test_a_history_that_cannot_be_read_costs_its_own_session(
    desk: HistoryDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(position: int, found: SessionSnapshot, _: AskedSession) -> Snapshot:
        if found.session_id == "odd":
            raise ValueError("a time that is none")
        return Snapshot(position, reached=True, known=None, history=None)

    monkeypatch.setattr(module, "_to_snapshot", odd)
    results = await asyncio.gather(desk.snapshot(session("odd")), desk.snapshot(session("a")), return_exceptions=True)
    assert isinstance(results[0], HistoryUnavailableError)
    assert isinstance(results[1], Snapshot)


async def test_a_timeline_that_never_gets_there_is_given_up(desk: HistoryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HISTORY_SECONDS", 0.05)
    with pytest.raises(HistoryUnavailableError):
        await desk.snapshot(session("a", number=10**9))
