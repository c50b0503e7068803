"""Stream of a server's own messages over HTTP: the GET that a session keeps open beside its calls."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

WAIT_SECONDS = 1.0
"""Some servers send the head of the stream only with its first message: a session waits for it once, and no longer."""


class ServerStream:
    """Calls wait until the server has answered the GET.

    The SDK sends it beside what follows the handshake. If a server asks during a call (an elicitation) before the
    stream is open, it drops its question. The call then waits for our answer until it times out.
    """

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._expected = False
        self._answered = asyncio.Event()

    def expect(self) -> None:
        """A session has begun for which the SDK opens a stream."""
        self._expected = True

    @contextmanager
    def opening(self) -> Iterator[None]:
        """A refusal is an answer, too: most servers without a stream say 405."""
        try:
            yield
        finally:
            self._answered.set()

    async def wait(self) -> None:
        if not self._expected:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self._wait_seconds):
                await self._answered.wait()
        self._expected = False
