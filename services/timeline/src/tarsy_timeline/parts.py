"""The long-lived tasks of the service: each is started again when it ends, so that none takes the others along."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from tarsy_bus.retries import draw_growing_pauses

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 5.0
SETTLED_SECONDS = 5.0
"""A part that has lasted so long works again."""

type Work = Callable[[], Awaitable[None]]


class Pauses:
    """Growing pauses between attempts, until one succeeds."""

    def __init__(self) -> None:
        self.reset()

    async def wait(self) -> None:
        await asyncio.sleep(next(self._left))

    def reset(self) -> None:
        self._left = draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)


class Parts:
    """`final`: what no repetition mends. It ends the service, with its sentence for the operator."""

    def __init__(self, final: tuple[type[Exception], ...], *, settled_seconds: float = SETTLED_SECONDS) -> None:
        self._final = final
        self._settled_seconds = settled_seconds
        self._ended: dict[str, str] = {}
        self._notes: dict[str, str] = {}

    def troubles(self) -> list[str]:
        """Why parts do not do their work now, for /ready."""
        return [f"{name}: {reason}" for name, reason in sorted({**self._notes, **self._ended}.items())]

    def note(self, name: str, reason: str) -> None:
        """`reason`: what keeps the part from its work, by its own account; empty when it works again."""
        if reason:
            self._notes[name] = reason
        else:
            self._notes.pop(name, None)

    async def run(self, name: str, work: Work) -> None:
        """Until it is cancelled. Raises what is final.

        Runs in its own task: work that ends or is cancelled unasked has failed like any other.
        """
        pauses = Pauses()
        while True:
            self._ended[name] = await self._run_once(name, work, pauses)
            self._notes.pop(name, None)
            log.error("part.ended", part=name, reason=self._ended[name])
            await pauses.wait()

    async def _run_once(self, name: str, work: Work, pauses: Pauses) -> str:
        """Why it ended. Raises what is final."""
        task = asyncio.ensure_future(work())
        try:
            await asyncio.wait([task], timeout=self._settled_seconds)
            if not task.done():
                self._ended.pop(name, None)
                pauses.reset()
                await asyncio.wait([task])
        finally:
            await _cancel_and_wait(task)
        if task.cancelled():
            return "it was cancelled by itself"
        problem = task.exception()
        if problem is None:
            return "it ended by itself"
        if not isinstance(problem, Exception) or self._is_final(problem):
            raise problem
        log.error("part.failed", part=name, exc_info=problem)
        return type(problem).__name__

    def _is_final(self, problem: Exception) -> bool:
        if isinstance(problem, ExceptionGroup):
            return problem.subgroup(self._final) is not None
        return isinstance(problem, self._final)


async def _cancel_and_wait(task: "asyncio.Future[None]") -> None:
    """When we are cancelled ourselves: not before the work has let go of what it held."""
    if not task.done():
        task.cancel()
        await asyncio.wait([task])
