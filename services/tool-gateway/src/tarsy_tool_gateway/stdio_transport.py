"""stdio, as the SDK has it, with one thing more: we learn at once that a server has ended."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self, TextIO

import anyio
from mcp import StdioServerParameters, stdio_client
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage

type Incoming = SessionMessage | Exception

ENDS = (StopAsyncIteration, anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError)


@asynccontextmanager
async def noticing_stdio(
    parameters: StdioServerParameters, standard_error: TextIO, ended: Callable[[], None]
) -> AsyncIterator[TransportStreams]:
    """The SDK ends the calls of a dead server, but tells nobody when there was none."""
    async with stdio_client(parameters, errlog=standard_error) as (reading, writing):
        yield _Noticing(reading, ended), writing


class _Noticing:
    def __init__(self, inner: ReadStream[Incoming], ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    async def receive(self) -> Incoming:
        try:
            return await self._inner.receive()
        except ENDS:
            self._ended()
            raise

    async def __anext__(self) -> Incoming:
        try:
            return await self._inner.__anext__()
        except ENDS:
            self._ended()
            raise

    def __aiter__(self) -> Self:
        return self

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, problem, trace)
