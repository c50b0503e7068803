"""Status messages of the list, for a client that is limited to session groups, wait until the timeline has judged."""

import asyncio
from collections.abc import Sequence

import pytest

from tarsy_auth.session_groups import GroupLabels
from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_testing.real_servers import eventually
from tarsy_websocket_gateway.errors import HistoryUnavailableError, SessionNotFoundError
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.timeline import visible_sessions
from tarsy_websocket_gateway.timeline.timeline_api import TimelineUnavailableError
from tarsy_websocket_gateway.timeline.visible_sessions import ClientSessions

GROUPS: GroupLabels = [{"namespace": ["shop"]}]


class Timeline:
    """Sessions whose id begins with `shop` are visible, the others hidden; those of `late` are not known yet."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.late: set[str] = set()
        self.away = False

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        assert groups == GROUPS
        self.asked += session_ids
        if self.away:
            raise TimelineUnavailableError("it is away")
        known = [one for one in session_ids if one not in self.late]
        visible = tuple(one for one in known if one.startswith("shop"))
        return VisibleSessions(visible=visible, hidden=tuple(one for one in known if one not in visible))


class Watching:
    """One client, and what it was sent."""

    def __init__(self, timeline: Timeline) -> None:
        self.sent: list[str] = []
        self.overflowed = asyncio.Event()
        self.sessions = ClientSessions(GROUPS, timeline, self._send, self.overflowed.set)

    def _send(self, messages: Sequence[Outgoing]) -> None:
        self.sent += [message.text for message in messages]

    def tell(self, session_id: str, text: str, type: str = "session.status") -> None:
        message = Outgoing(type, text, 1, session_id=session_id)
        if self.sessions.offer(message):
            self._send([message])

    async def until_sent(self, *texts: str) -> None:
        async def are_sent() -> bool:
            return self.sent == [*texts]

        await eventually(are_sent, f"{texts} were sent")


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
def watching(timeline: Timeline) -> Watching:
    return Watching(timeline)


async def test_messages_of_a_session_come_in_order_once_it_is_judged_and_those_of_others_never(
    watching: Watching, timeline: Timeline
) -> None:
    for session_id, text in (("shop", "a"), ("other", "x"), ("shop", "b")):
        watching.tell(session_id, text)
    assert watching.sent == []
    async with background_tasks(watching.sessions.run()):
        await watching.until_sent("a", "b")
        watching.tell("shop", "c")
        watching.tell("other", "y")
        assert watching.sent == ["a", "b", "c"]
    assert sorted(timeline.asked) == ["other", "shop"], "an answer holds as long as the connection"


async def test_a_session_that_the_timeline_does_not_know_yet_is_asked_for_again(
    watching: Watching, timeline: Timeline
) -> None:
    timeline.late = {"shop-late"}
    watching.tell("shop-late", "a")
    watching.tell("shop", "b")
    async with background_tasks(watching.sessions.run()):
        await watching.until_sent("b")
        watching.tell("shop-late", "c")
        timeline.late.clear()
        await watching.until_sent("b", "a", "c")


@pytest.mark.parametrize("told_before", [True, False])
async def test_a_deletion_reaches_whoever_saw_the_session_and_ends_what_is_known_of_it(
    watching: Watching, timeline: Timeline, told_before: bool
) -> None:
    before = ["a"] if told_before else []
    async with background_tasks(watching.sessions.run()):
        for session_id in ("shop", "other"):
            for text in before:
                watching.tell(session_id, text)
        await watching.until_sent(*before)
        for session_id in ("shop", "other"):
            watching.tell(session_id, "deleted", "session.deleted")
        await watching.until_sent(*before, "deleted")
        timeline.asked.clear()
        watching.tell("shop", "again")
        await watching.until_sent(*before, "deleted", "again")
        assert timeline.asked == ["shop"], "a session that begins again is judged anew"


async def test_the_order_stays_where_the_client_subscribes_to_a_session_that_is_being_judged(
    watching: Watching,
) -> None:
    watching.tell("shop", "a")
    assert await watching.sessions.sees("shop")
    watching.tell("shop", "b")
    assert watching.sent == []
    async with background_tasks(watching.sessions.run()):
        await watching.until_sent("a", "b")


async def test_what_happens_while_the_timeline_is_away_comes_later(watching: Watching, timeline: Timeline) -> None:
    timeline.away = True
    watching.tell("shop", "a")
    async with background_tasks(watching.sessions.run()):

        async def was_asked() -> bool:
            return bool(timeline.asked)

        await eventually(was_asked, "the timeline was asked")
        assert watching.sent == []
        timeline.away = False
        await watching.until_sent("a")


async def test_a_timeline_that_never_answers_costs_the_connection_and_no_memory(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible_sessions, "MOST_HELD", 3)
    for number in range(3):
        watching.tell(f"shop-{number}", "a")
    assert not watching.overflowed.is_set()
    watching.tell("shop", "b")
    assert watching.overflowed.is_set()


@pytest.mark.parametrize("away", [True, False], ids=["the timeline is away", "the session never appears"])
async def test_what_is_never_judged_is_given_up(
    watching: Watching, timeline: Timeline, monkeypatch: pytest.MonkeyPatch, away: bool
) -> None:
    monkeypatch.setattr(visible_sessions, "APPEAR_SECONDS", 0.05)
    timeline.away, timeline.late = away, {"shop-late"}
    watching.tell("shop-late", "a")
    async with background_tasks(watching.sessions.run()):
        if away:
            await watching.overflowed.wait()
            return

        async def goes_on() -> bool:
            watching.tell("shop", "b")
            return "b" in watching.sent

        await eventually(goes_on, "other sessions are told of")
    assert not watching.overflowed.is_set()


async def test_a_session_of_another_group_is_refused_and_one_that_never_appears_too(
    watching: Watching, timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible_sessions, "APPEAR_SECONDS", 0.05)
    timeline.late = {"shop-late"}
    await watching.sessions.require("shop")
    for session_id in ("other", "shop-late"):
        with pytest.raises(SessionNotFoundError, match=f"No session {session_id} is known"):
            await watching.sessions.require(session_id)


async def test_a_session_cannot_be_judged_while_the_timeline_is_away(
    watching: Watching, timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible_sessions, "APPEAR_SECONDS", 0.05)
    timeline.away = True
    with pytest.raises(HistoryUnavailableError, match="does not answer"):
        await watching.sessions.require("shop")
