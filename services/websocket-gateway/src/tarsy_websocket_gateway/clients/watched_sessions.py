"""Watched sessions: each is followed from the timeline's answer on, for as long as somebody watches it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from tarsy_auth.session_groups import GroupLabels
from tarsy_bus.client.connection import Bus
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.api.chains import AskedSession
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_websocket_gateway.clients.hub import SESSIONS, Hub, session_of
from tarsy_websocket_gateway.errors import AlertJoinedError, HistoryUnavailableError, SessionNotFoundError
from tarsy_websocket_gateway.log.reader import WatchedLog
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.history import History
from tarsy_websocket_gateway.messages.running_calls import Call
from tarsy_websocket_gateway.streams.stream_reader import StreamReader
from tarsy_websocket_gateway.timeline.history_desk import UNAVAILABLE, HistoryDesk, Snapshot
from tarsy_websocket_gateway.timeline.timeline_api import TimelineApi, TimelineUnavailableError
from tarsy_websocket_gateway.timeline.timeline_progress import TimelineProgress

log = structlog.get_logger(__name__)

LIST_SECONDS = 5.0
"""A subscription to the list waits so long until the API shows what was told before."""
FIRST_LOOK_SECONDS = 0.2
LONGEST_LOOK_SECONDS = 2.0
"""How often the timeline is asked whether the alert of an unknown session has joined another one."""
KEPT_BYTES = 256 * 1024
"""A history of at most so many is kept until the session's next event, for those who come next."""


@dataclass(slots=True, eq=False)
class _Watch:
    partition: int
    appeared: asyncio.Event = field(default_factory=asyncio.Event)
    streams: bool = False
    history: History | None = None


class WatchedSessions:
    """Source of all that a connection asks about sessions."""

    def __init__(
        self,
        bus: Bus,
        hub: Hub,
        log_reader: WatchedLog,
        stream_reader: StreamReader,
        feed: Feed,
        desk: HistoryDesk,
        timeline: TimelineApi,
        progress: TimelineProgress,
        *,
        appear_seconds: float,
    ) -> None:
        self._bus = bus
        self._hub = hub
        self._log = log_reader
        self._stream = stream_reader
        self._feed = feed
        self._desk = desk
        self._timeline = timeline
        self._progress = progress
        self._appear_seconds = appear_seconds
        self._watches: dict[str, _Watch] = {}
        self._list = asyncio.Lock()
        self._follows_all = False
        hub.channel_closed = self._leave_channel
        log_reader.accepted = self._note_accepted
        log_reader.fell_behind = hub.drop_all

    def watch(self, session_id: str) -> None:
        """From here on. The subscription that has just begun holds back what the log brings."""
        if session_id not in self._watches:
            number = self._bus.partition_of(self._bus.topics.sessions, session_id.encode()) or 0
            self._watches[session_id] = _Watch(number)
            self._log.follow(session_id, number)

    def last_number(self, session_id: str) -> int:
        """Number of the last accepted event of a watched session; 0 while none is known."""
        watch = self._watches.get(session_id)
        known = None if watch is None else self._log.last(session_id, watch.partition)
        return 0 if known is None else known.number

    def list_running_calls(self, session_id: str) -> list[Call]:
        return self._feed.list_running_calls(session_id)

    async def history(self, session_id: str) -> History:
        """All that was accepted of a watched session before this call. Empty if it begins only now.

        Raises HistoryUnavailableError, SessionNotFoundError or AlertJoinedError.
        """
        watch = self._watches.get(session_id)
        if watch is None:
            raise HistoryUnavailableError(UNAVAILABLE)
        if watch.history is not None:
            return watch.history
        snapshot = await self._read_snapshot(session_id, watch)
        if snapshot.history is None:
            await self._wait_until_it_appears(session_id, watch)
            return History()
        if self.last_number(session_id) == snapshot.history.last_number and snapshot.history.size <= KEPT_BYTES:
            watch.history = snapshot.history
        return snapshot.history

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        """Raises TimelineUnavailableError."""
        return await self._timeline.visibility(session_ids, groups)

    async def follow_list(self) -> None:
        """Returns once the status of every session is followed, and the API shows what was told of before.

        Raises HistoryUnavailableError.
        """
        async with self._list:
            try:
                if not self._follows_all:
                    beginning = await self._timeline.open_sessions()
                    self._follows_all = self._hub.has(SESSIONS)
                    if self._follows_all:
                        self._log.follow_all(beginning)
            except TimelineUnavailableError as problem:
                log.warning("list.unavailable", reason=str(problem))
                raise HistoryUnavailableError("The list is not available now. Subscribe again later.") from problem
        await self._progress.wait_until_reached(self._log.positions(), LIST_SECONDS)

    async def _read_snapshot(self, session_id: str, watch: _Watch) -> Snapshot:
        """The session's chain goes on from it."""
        while True:
            number, offset = self.last_number(session_id), 0
            if number == 0:
                offset = self._log.follow(session_id, watch.partition)
            snapshot = await self._desk.snapshot(
                AskedSession(session_id=session_id, number=number, partition=watch.partition, offset=offset)
            )
            if self._watches.get(session_id) is not watch:
                raise HistoryUnavailableError(UNAVAILABLE)
            # The partition may be read from further on meanwhile, for another session.
            if number > 0 or snapshot.position >= self._log.follow(session_id, watch.partition):
                self._begin_from_snapshot(session_id, watch, snapshot)
                return snapshot

    def _begin_from_snapshot(self, session_id: str, watch: _Watch, snapshot: Snapshot) -> None:
        history = snapshot.history or History()
        self._feed.begin(session_id, history.steps, history.ended)
        if self.last_number(session_id) == 0:
            self._log.begin(session_id, watch.partition, snapshot.position, snapshot.known)
        # While the list is watched the chain is known already, and the stream is not read.
        if not watch.streams:
            watch.streams = True
            self._stream.watch(session_id, history.streams_since)

    async def _wait_until_it_appears(self, session_id: str, watch: _Watch) -> None:
        """An alert that was accepted a moment ago has no session yet, and may get none of its own."""
        try:
            async with asyncio.timeout(self._appear_seconds):
                for pause in draw_growing_pauses(FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS):
                    if await _is_set_within(watch.appeared, pause):
                        return
                    if (joined := await self._find_joined_session(session_id)) is not None:
                        raise AlertJoinedError(joined)
        except TimeoutError:
            raise SessionNotFoundError(
                f"No session {session_id} is known, and none began within {self._appear_seconds:g} s."
            ) from None

    async def _find_joined_session(self, session_id: str) -> str | None:
        try:
            return await self._timeline.find_joined_session(session_id)
        except TimelineUnavailableError as problem:
            log.warning("joined_session.unavailable", session_id=session_id, reason=str(problem))
            return None

    def _note_accepted(self, session_id: str) -> None:
        watch = self._watches.get(session_id)
        if watch is not None:
            watch.history = None
            watch.appeared.set()

    def _leave_channel(self, channel: str) -> None:
        if channel == SESSIONS:
            if self._follows_all:
                self._follows_all = False
                self._log.leave_all()
            return
        session_id = session_of(channel)
        watch = self._watches.pop(session_id, None)
        if watch is not None:
            self._log.leave(session_id, watch.partition)
            self._stream.leave(session_id)
            self._feed.forget(session_id)


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
