"""Admission queue of sessions: so many run at once in one orchestrator, the next by priority, then by arrival."""

import asyncio
import heapq
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from tarsy_contracts.alert import PRIORITIES, Priority


@dataclass(order=True, slots=True)
class _Applicant:
    rank: int
    since: datetime
    number: int
    session_id: str = field(compare=False)
    turn: "asyncio.Future[None]" = field(compare=False)


BACKGROUND_PHASES = 4
"""Limit of phases after the end that run at once in one process."""


def background_capacity(llm_calls: int) -> int:
    """`llm_calls`: the limit of calls at once. Phases take a quarter at most: a person asks in another session."""
    return max(1, min(BACKGROUND_PHASES, llm_calls // 4))


class AdmissionQueue:
    """Bounds how many sessions run. It decides nothing: a session that has begun, as its log says, goes on.

    After a takeover more than `most` may run; then none begins until there is room again. During a takeover none
    begins either (`pause`): neither all that run nor all that wait are known.

    A session that only waits for people gives its place back, while fewer than `most` have done so: a bound of memory.
    """

    def __init__(self, most: int, changed: Callable[[int], None] = lambda waiting: None) -> None:
        """`changed` is called with the number of those that wait."""
        self._capacity = most
        self._changed = changed
        self._running: set[str] = set()
        self._waiting_for_people: set[str] = set()
        self._queue: list[_Applicant] = []
        self._waiting = 0
        self._numbers = count()
        self.paused = False

    async def acquire(self, session_id: str, priority: Priority, since: datetime) -> None:
        """Returns when the session has a place; it keeps it until `release`."""
        turn = asyncio.get_running_loop().create_future()
        waiting = _Applicant(PRIORITIES.index(priority), since, next(self._numbers), session_id, turn)
        heapq.heappush(self._queue, waiting)
        self._waiting += 1
        self._admit_waiting()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget_one()
            else:
                self.release(session_id)
            raise

    def mark_running(self, session_id: str) -> None:
        """The session runs, wherever it began."""
        self._waiting_for_people.discard(session_id)
        self._running.add(session_id)

    def mark_waiting_for_people(self, session_id: str) -> None:
        """The session goes on when somebody has decided, and needs no place until then."""
        if session_id not in self._waiting_for_people and len(self._waiting_for_people) >= self._capacity:
            self._running.add(session_id)
            return
        self._waiting_for_people.add(session_id)
        self._running.discard(session_id)
        self._admit_waiting()

    def release(self, session_id: str) -> None:
        """The session runs no longer, or not here."""
        self._running.discard(session_id)
        self._waiting_for_people.discard(session_id)
        self._admit_waiting()

    def resize(self, most: int) -> None:
        """From now on so many may run. Running sessions continue, even if they are more than allowed."""
        self._capacity = most
        self._admit_waiting()

    def pause(self) -> None:
        """No session is admitted until `resume`."""
        self.paused = True

    def resume(self) -> None:
        self.paused = False
        self._admit_waiting()

    @property
    def running(self) -> Set[str]:
        return self._running

    @property
    def waiting(self) -> int:
        """How many sessions wait for their turn."""
        return self._waiting

    @property
    def oldest(self) -> datetime | None:
        """Since when the session waits that has waited for longest."""
        return min((waiting.since for waiting in self._queue if not waiting.turn.cancelled()), default=None)

    def _admit_waiting(self) -> None:
        while self._queue and not self.paused and len(self._running) < self._capacity:
            waiting = heapq.heappop(self._queue)
            if waiting.turn.cancelled():
                continue
            self._waiting -= 1
            self._running.add(waiting.session_id)
            waiting.turn.set_result(None)
        self._changed(self._waiting)

    def _forget_one(self) -> None:
        """One left. The queue is made anew when most of it has left: all leave at once when a partition goes."""
        self._waiting -= 1
        if len(self._queue) > 2 * self._waiting:
            self._queue = [waiting for waiting in self._queue if not waiting.turn.cancelled()]
            heapq.heapify(self._queue)
        self._changed(self._waiting)
