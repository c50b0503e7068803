"""Sessions that are set aside, as `tarsy.held` has them, for people."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.held_sessions import create_held_sessions, follow_held
from tarsy_contracts.messages.held import REASONS
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.system.server_warnings import MOST_CHARACTERS, MOST_NAMED, Category, ServerWarning

NOT_READ = "The sessions that are set aside have not been read to their end yet. Try again in a few seconds."
UNKNOWN_REASON = "for an unknown reason"


@dataclass(frozen=True, slots=True)
class SessionAside:
    session_id: str
    reason: str
    detail: str
    inputs: int
    since: datetime | None

    @property
    def why(self) -> str:
        words = REASONS.get(self.reason, UNKNOWN_REASON)
        return f"{words} ({self.detail})" if self.detail else words


class HeldWatch:
    def __init__(self, bus: Bus, *, wait_seconds: float) -> None:
        self._bus = bus
        self._wait_seconds = wait_seconds
        self._held = create_held_sessions(bus)
        self._has_read = asyncio.Event()

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled. Run again, it forgets what was compacted away meanwhile."""
        held = create_held_sessions(self._bus)

        def read_through() -> None:
            self._held = held
            self._has_read.set()

        await follow_held(self._bus, held, read_through, heartbeat)

    async def sessions(self) -> Sequence[SessionAside]:
        """Those that wait longest first. Waits a few seconds after a start. Raises ProblemError."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._has_read.wait()
        except TimeoutError as problem:
            raise ProblemError(503, "Not there yet", NOT_READ) from problem
        return self.sessions_now()

    def sessions_now(self) -> Sequence[SessionAside]:
        found = [
            SessionAside(session_id, one.why.reason, one.why.detail, len(one.inputs), one.began)
            for session_id, one in self._held.all().items()
        ]
        return sorted(found, key=lambda one: (one.since is None, one.since, one.session_id))

    def warnings(self) -> Sequence[ServerWarning]:
        """One for all of them: a mistake in the code may meet many sessions."""
        aside = self.sessions_now()
        if not aside:
            return []
        named = "; ".join(f"{one.session_id}: {one.why}" for one in aside[:MOST_NAMED])
        more = "" if len(aside) <= MOST_NAMED else f"; and {len(aside) - MOST_NAMED} more"
        count = "1 session is" if len(aside) == 1 else f"{len(aside)} sessions are"
        began = min(one.since for one in aside if one.since is not None)
        message = f"{count} set aside, and wait for an operator (`tarsy held`)."
        return [ServerWarning("set_aside", None, message, f"{named}{more}"[:MOST_CHARACTERS], began, "sessions")]

    def count_warnings(self, category: Category) -> int:
        return len(self.warnings()) if category == "sessions" else 0
