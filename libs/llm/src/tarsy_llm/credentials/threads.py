"""A thread for what blocks: of its own, as a server that hangs must neither fill an executor nor keep a process."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress


def start_in_thread[T](work: Callable[[], T], name: str) -> "asyncio.Future[T]":
    """Returns what `work` will return. The thread ends by the time limits of `work`, or with the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def report(problem: Exception | None, result: T | None) -> None:
        if future.done():
            return
        if problem is not None:
            future.set_exception(problem)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        try:
            outcome: tuple[Exception | None, T | None] = (None, work())
        except Exception as problem:  # noqa: BLE001 - who waits for the future gets it
            outcome = (problem, None)
        # The loop may have ended meanwhile: then nobody waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(report, *outcome)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future
