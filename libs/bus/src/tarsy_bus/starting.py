"""Starting a client of Kafka so that nothing is lost when the start is cancelled.

aiokafka forgets a connection that it is opening just then: it would stay open until the process ends.
"""

import asyncio
from collections.abc import Coroutine
from typing import Protocol

MOST_SECONDS = 5.0


class Client(Protocol):
    def start(self) -> Coroutine[object, object, None]: ...


async def start(client: Client) -> None:
    """Cancelled, it ends with the start, but no later than MOST_SECONDS after. The caller stops the client."""
    starting = asyncio.create_task(client.start(), name="start of a Kafka client")
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait([starting], timeout=MOST_SECONDS)
        if not starting.done():
            starting.cancel()
        elif not starting.cancelled():
            starting.exception()  # somebody has looked at it
        raise
