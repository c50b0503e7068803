"""stdio, as the SDK has it, with three things more: the child's environment is exactly what the plan says, what cannot
be started is told in a sentence, and we learn at once that a server has ended."""

import os
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self, TextIO

import anyio
from mcp import StdioServerParameters, stdio_client
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage

from tarsy_tool_gateway.plan import StdioTransport
from tarsy_tool_gateway.reachability import WronglyConfigured

type Incoming = SessionMessage | Exception

ENDS = (StopAsyncIteration, anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError)


@asynccontextmanager
async def stdio_streams(
    transport: StdioTransport, standard_error: TextIO, ended: Callable[[], None]
) -> AsyncIterator[TransportStreams]:
    """The SDK ends the calls of a dead server, but tells nobody when there was none. Raises WronglyConfigured."""
    environment = environment_of(transport, os.environ)
    _check(transport, environment)
    parameters = StdioServerParameters(
        command=transport.command,
        args=list(transport.arguments),
        cwd=transport.cwd,
        encoding_error_handler="replace",  # one wrong byte is not the end of a session
    )
    # Set here, for pydantic would make a plain dict of it.
    parameters.env = _Exactly(environment)
    async with stdio_client(parameters, errlog=standard_error) as (reading, writing):
        yield _Noticing(reading, ended), writing


def environment_of(transport: StdioTransport, ours: Mapping[str, str]) -> dict[str, str]:
    """All that the child gets."""
    inherited = {name: ours[name] for name in transport.inherit if name in ours}
    return inherited | dict(transport.environment)


def _check(transport: StdioTransport, environment: Mapping[str, str]) -> None:
    """Raises WronglyConfigured. The system's own words for these do not say which of them it was."""
    folder = transport.cwd
    if folder is not None and not folder.is_dir():
        raise WronglyConfigured(f"the working directory {folder} cannot be entered: No such directory")
    command = transport.command
    if "/" in command:
        # As the system looks for it: from the folder that the child begins in.
        command = os.path.join(folder or os.getcwd(), command)
    if shutil.which(command, path=environment.get("PATH", os.defpath)) is not None:
        return
    if "/" not in command:
        raise WronglyConfigured(f"the command {command} is not in PATH: No such file or directory")
    reason = "it is not executable" if os.path.exists(command) else "No such file or directory"
    raise WronglyConfigured(f"the command {command} cannot be started: {reason}")


class _Exactly(dict[str, str]):
    """The SDK lays an environment over variables of its own choice. Over this one nothing is laid, nor below it."""

    def __ror__(self, below: object) -> dict[str, str]:  # type: ignore[override]
        return dict(self)

    def __bool__(self) -> bool:
        return True


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
