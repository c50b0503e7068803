"""SIGTERM and Ctrl-C as an event: what runs drains before it ends."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stopped_by_signals(stopping: asyncio.Event) -> Iterator[None]:
    """Either signal sets the event, as long as the body runs."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
