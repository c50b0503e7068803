"""Many connections to one server at a constant price.

httpx's own pool looks at every connection it has, and asks the system about every idle one, whenever a request begins
or ends: with some hundred calls at once that is most of what a call costs. Here each connection is a pool of its own.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass

import httpx2

type OpenLane = Callable[[], httpx2.AsyncBaseTransport]


@dataclass(frozen=True, slots=True)
class _Idle:
    lane: httpx2.AsyncBaseTransport
    since: float


class Lanes(httpx2.AsyncBaseTransport):
    """`open_lane` makes a transport that has at most one connection. The lane that rested last is taken first.

    `most` requests run at once; another one waits as long as its `pool` timeout says. A lane that was not needed for
    `idle_seconds` is closed.
    """

    def __init__(self, open_lane: OpenLane, *, most: int, idle_seconds: float) -> None:
        self._open_lane = open_lane
        self._idle_seconds = idle_seconds
        self._places = asyncio.Semaphore(most)
        self._idle: deque[_Idle] = deque()
        self._open: set[httpx2.AsyncBaseTransport] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await self._close_idle()
        await self._place(request.extensions.get("timeout", {}).get("pool"))
        lane = self._lane()
        try:
            response = await lane.handle_async_request(request)
        except BaseException:
            self._give_back(lane)
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Stream(response.stream, lambda: self._give_back(lane))
        return response

    async def aclose(self) -> None:
        self._idle.clear()
        while self._open:
            await self._open.pop().aclose()

    async def _place(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._places.acquire()
        except TimeoutError:
            raise httpx2.PoolTimeout("no connection became free") from None

    def _lane(self) -> httpx2.AsyncBaseTransport:
        if self._idle:
            return self._idle.pop().lane
        lane = self._open_lane()
        self._open.add(lane)
        return lane

    def _give_back(self, lane: httpx2.AsyncBaseTransport) -> None:
        self._places.release()
        if lane in self._open:
            self._idle.append(_Idle(lane, self._clock()))

    async def _close_idle(self) -> None:
        """The oldest are in front. Where none is old, this looks at one of them."""
        while self._idle and self._clock() - self._idle[0].since > self._idle_seconds:
            lane = self._idle.popleft().lane
            self._open.discard(lane)
            with suppress(httpx2.TransportError):
                await lane.aclose()

    def _clock(self) -> float:
        return asyncio.get_running_loop().time()


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, closed: Callable[[], None]) -> None:
        self._inner = inner
        self._closed: Callable[[], None] | None = closed

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._inner.__aiter__()

    async def aclose(self) -> None:
        """More than once is harmless. The lane is free even when closing is broken off."""
        try:
            await self._inner.aclose()
        finally:
            closed, self._closed = self._closed, None
            if closed is not None:
                closed()
