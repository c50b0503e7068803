"""How many sessions run at once in one orchestrator, and who is next: by priority, then in order of arrival."""

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from tarsy_contracts.alert import PRIORITIES, Priority


@dataclass(order=True, slots=True)
class _Waiting:
    rank: int
    since: datetime
    number: int
    session_id: str = field(compare=False)
    turn: "asyncio.Future[None]" = field(compare=False)


class Places:
    """Decides nothing: that a session has begun is an event of its log, and one that has begun goes on.

    So after a takeover more of them may run than `most`; then none begins until there is room again. While a takeover
    lasts none begins either (`hold`): not all that run are known, nor all that wait.
    """

    def __init__(self, most: int, changed: Callable[[int], None] = lambda waiting: None) -> None:
        """`changed` is told how many wait."""
        self._most = most
        self._changed = changed
        self._taken: set[str] = set()
        self._queue: list[_Waiting] = []
        self._numbers = count()
        self.held = False

    async def wait(self, session_id: str, priority: Priority, since: datetime) -> None:
        """Returns when the session has a place; it keeps it until `free`."""
        turn = asyncio.get_running_loop().create_future()
        waiting = _Waiting(PRIORITIES.index(priority), since, next(self._numbers), session_id, turn)
        heapq.heappush(self._queue, waiting)
        self._hand_out()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(waiting)
            else:
                self.free(session_id)
            raise

    def occupy(self, session_id: str) -> None:
        """The session runs, wherever it began."""
        self._taken.add(session_id)

    def free(self, session_id: str) -> None:
        """The session runs no longer, or not here."""
        self._taken.discard(session_id)
        self._hand_out()

    def hold(self) -> None:
        """Nobody gets a place until `go_on`."""
        self.held = True

    def go_on(self) -> None:
        self.held = False
        self._hand_out()

    def _hand_out(self) -> None:
        while self._queue and not self.held and len(self._taken) < self._most:
            waiting = heapq.heappop(self._queue)
            self._taken.add(waiting.session_id)
            waiting.turn.set_result(None)
        self._changed(len(self._queue))

    def _forget(self, waiting: _Waiting) -> None:
        self._queue.remove(waiting)
        heapq.heapify(self._queue)
        self._changed(len(self._queue))
