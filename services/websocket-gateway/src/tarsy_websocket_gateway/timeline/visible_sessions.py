"""Sessions that one client sees who is limited to session groups, as the timeline judges them.

The labels of a session never change: each is asked about once, and an answer holds as long as the connection, or until
the session is deleted. The timeline keeps the labels of a deleted session for a while: its deletion is judged, too.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

import structlog

from tarsy_auth.session_groups import GroupLabels
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.api.visible_sessions import MOST_ASKED, VisibleSessions
from tarsy_websocket_gateway.errors import HistoryUnavailableError, SessionNotFoundError
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.timeline.timeline_api import TimelineUnavailableError

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0
APPEAR_SECONDS = 60.0
"""A session that began is in the timeline by then, or the timeline is far behind."""
MOST_KNOWN = 50_000
MOST_HELD = 10_000
"""Status messages of sessions that nobody has judged yet."""
DELETED = "session.deleted"
"""Type of the message that ends a session's life: one that begins again with its id is judged anew."""


class Judge(Protocol):
    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions: ...


@dataclass(slots=True)
class _Held:
    """Messages of a session that is not judged yet. `since` is a time of the monotonic clock."""

    since: float
    messages: list[Outgoing] = field(default_factory=list)


class ClientSessions:
    """`send` takes messages that were held back until their session was judged; `overflow` ends the connection."""

    def __init__(
        self,
        groups: GroupLabels,
        judge: Judge,
        send: Callable[[Sequence[Outgoing]], None],
        overflow: Callable[[], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._groups = groups
        self._judge = judge
        self._send = send
        self._overflow = overflow
        self._monotonic = monotonic
        self._known: dict[str, bool] = {}
        self._held: dict[str, _Held] = {}
        self._held_count = 0
        self._requested = asyncio.Event()

    def offer(self, message: Outgoing) -> bool:
        """Whether this message of the list is sent now. One of a session that is not judged yet may be sent later."""
        session_id = message.session_id or ""
        known = None if session_id in self._held else self._known.get(session_id)
        if known is None:
            self._hold_message(session_id, message)
        elif message.type == DELETED:
            del self._known[session_id]
        return known is True

    async def require(self, session_id: str) -> None:
        """Waits until the timeline has judged the session. Raises SessionNotFoundError for one of other groups or that
        the timeline does not know, HistoryUnavailableError when it does not answer."""
        answered = False
        try:
            async with asyncio.timeout(APPEAR_SECONDS):
                for pause in draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS):
                    answered = session_id in self._known or await self._learn_visibility([session_id])
                    if session_id in self._known:
                        break
                    await asyncio.sleep(pause)
        except TimeoutError:
            log.warning("visibility.given_up", session_id=session_id, answered=answered)
        if not answered:
            raise HistoryUnavailableError("The timeline does not answer. Subscribe again later.")
        if not self._known.get(session_id):
            raise SessionNotFoundError(f"No session {session_id} is known.")

    async def sees(self, session_id: str) -> bool | None:
        """None while the timeline does not know the session, or does not answer."""
        if session_id not in self._known:
            await self._learn_visibility([session_id])
        return self._known.get(session_id)

    async def run(self) -> None:
        """Judges for ever what was held back."""
        while True:
            await self._requested.wait()
            self._requested.clear()
            for pause in draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS):
                await self._judge_held()
                if not self._held:
                    break
                await asyncio.sleep(pause)

    async def _judge_held(self) -> None:
        requested = list(islice(self._held, MOST_ASKED))
        answered = await self._learn_visibility(requested)
        for session_id in requested:
            if session_id in self._known:
                self._release_held(session_id)
            elif self._monotonic() - self._held[session_id].since >= APPEAR_SECONDS:
                self._give_up(session_id, answered=answered)

    async def _learn_visibility(self, session_ids: Sequence[str]) -> bool:
        """Whether the timeline has answered."""
        try:
            found = await self._judge.visibility(session_ids, self._groups)
        except TimelineUnavailableError as problem:
            log.warning("visibility.unavailable", reason=str(problem))
            return False
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        self._known |= dict.fromkeys(found.visible, True) | dict.fromkeys(found.hidden, False)
        return True

    def _hold_message(self, session_id: str, message: Outgoing) -> None:
        if self._held_count >= MOST_HELD:
            self._overflow()
            return
        self._held.setdefault(session_id, _Held(self._monotonic())).messages.append(message)
        self._held_count += 1
        self._requested.set()

    def _release_held(self, session_id: str) -> None:
        messages = self._take_held(session_id)
        if self._known[session_id]:
            self._send(messages)
        if messages[-1].type == DELETED:
            del self._known[session_id]

    def _give_up(self, session_id: str, *, answered: bool) -> None:
        """A session unknown to the timeline loses its messages. If the timeline does not answer, the connection closes,
        and the client reconnects and reads the list again.
        """
        log.warning("visibility.given_up", session_id=session_id, answered=answered)
        self._take_held(session_id)
        if not answered:
            self._overflow()

    def _take_held(self, session_id: str) -> list[Outgoing]:
        messages = self._held.pop(session_id).messages
        self._held_count -= len(messages)
        return messages
