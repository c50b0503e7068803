"""An event loop whose time jumps to the next timer when nothing is ready, and processes that live in it."""

import asyncio
import heapq
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import Context, ContextVar
from typing import Any, cast

PROCESS: ContextVar["Process | None"] = ContextVar("process", default=None)
"""The process whose step runs now. Every task and every timer inherits it from where it was made."""


class NothingLeftError(Exception):
    """Nothing is ready and no timer runs: everybody waits for something that will never come."""


class Process:
    """A tree of tasks. `halted`: none of its steps runs (killed, or frozen). `severed`: Kafka does not know it."""

    def __init__(self, name: str, service: str) -> None:
        self.name = name
        self.service = service
        self.halted = False
        self.severed = False
        self.forgetful = False
        self._parked: list[_Handle | _Timer] = []

    def halt(self) -> None:
        self.halted = True

    def park(self, handle: "_Handle | _Timer") -> None:
        self._parked.append(handle)

    def go_on(self, loop: "VirtualLoop") -> None:
        """Steps that came while it was halted run now, in the order in which they came."""
        self.halted = False
        parked, self._parked = self._parked, []
        loop.ready.extend(handle for handle in parked if not handle.cancelled())


def _unless_halted(handle: "_Handle | _Timer", run: Callable[[], None]) -> None:
    process = handle.get_context().get(PROCESS)
    if process is not None and process.halted:
        process.park(handle)
    else:
        run()


class _Handle(asyncio.Handle):
    def _run(self) -> None:
        _unless_halted(self, super()._run)


class _Timer(asyncio.TimerHandle):
    def _run(self) -> None:
        _unless_halted(self, super()._run)


class _Jump(selectors.SelectSelector):
    """Nothing ever comes from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise NothingLeftError
        self.now += max(timeout, 0.0)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Leans on a few names of asyncio's that are not public: `_ready`, `_scheduled`, `_call_soon`, `Handle._run`."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)
        self._clock_resolution = 1e-6

    @property
    def ready(self) -> Any:
        return cast(Any, self)._ready

    def time(self) -> float:
        return self._jump.now

    def _call_soon(self, callback: Callable[..., object], args: Any, context: Context | None) -> asyncio.Handle:
        handle = _Handle(callback, args, self, context)
        self.ready.append(handle)
        return handle

    def call_at[*Ts](
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = _Timer(when, callback, args, self, context)
        heapq.heappush(cast(Any, self)._scheduled, timer)
        cast(Any, timer)._scheduled = True
        return timer

    def run_in_executor[T, *Ts](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """At once: threads have a time of their own."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as problem:  # noqa: BLE001 - it belongs to whoever waits for it
            future.set_exception(problem)
        return future
