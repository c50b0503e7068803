"""stdio transport of our own.

The SDK's transport keeps a line without bound, in quadratic time, and with one that never ends it cannot stop. It adds
variables of ours to the child's environment, and tells nobody when a server ends that has no calls.
"""

import os
import shutil
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TextIO

import anyio
import structlog
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage

from tarsy_bus.background_tasks import background_tasks
from tarsy_egress.child_environment import egress_variables
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.messages.addressee import LOOKED_AT
from tarsy_tool_gateway.mcp.messages.open_requests import OpenRequests
from tarsy_tool_gateway.mcp.messages.shared_stream import SharedStreamReader
from tarsy_tool_gateway.mcp.messages.stream_counts import StreamCounts
from tarsy_tool_gateway.mcp.sdk_internals import TransportStreams
from tarsy_tool_gateway.mcp.server_plan import StdioTransport
from tarsy_tool_gateway.mcp.transports.stdio_process import CHUNK_BYTES, ServerProcess, running
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight, HeldBytes, TooLongError

log = structlog.get_logger(__name__)


@asynccontextmanager
async def stdio_streams(
    transport: StdioTransport, standard_error: TextIO, ended: Callable[[], None], counts: StreamCounts | None = None
) -> AsyncIterator[TransportStreams]:
    """`ended` is called when the server's output is over, or nobody can use it. Raises MisconfiguredError."""
    environment = environment_of(transport, os.environ)
    _require_command(transport, environment)
    command = (transport.command, *transport.arguments)
    async with running(command, environment, transport.cwd, standard_error) as child:
        to_session, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        writing, from_session = anyio.create_memory_object_stream[SessionMessage](0)

        def end() -> None:
            ended()
            to_session.close()

        counted = counts or StreamCounts()
        reader = SharedStreamReader(counted.garbage)
        with to_session, reading, writing, from_session:
            async with background_tasks(
                _read_messages(child, reader, to_session, counted.in_flight, end),
                _write_messages(child, reader.requests, from_session, end),
            ):
                yield reading, writing


def environment_of(transport: StdioTransport, ours: Mapping[str, str]) -> dict[str, str]:
    """All that the child gets. Proxies and authorities belong to the machine: it could ask nobody without them."""
    inherited = {name: ours[name] for name in transport.inherit if name in ours}
    return egress_variables(ours) | inherited | dict(transport.environment)


def _require_command(transport: StdioTransport, environment: Mapping[str, str]) -> None:
    """Raises MisconfiguredError. The system's own words for these do not say which of them it was."""
    folder = transport.cwd
    if folder is not None and not folder.is_dir():
        raise MisconfiguredError(f"the working directory {folder} cannot be entered: No such directory")
    command = transport.command
    if "/" in command:
        # As the system looks for it: from the folder that the child begins in.
        command = os.path.join(folder or os.getcwd(), command)
    if shutil.which(command, path=environment.get("PATH", os.defpath)) is not None:
        return
    if "/" not in command:
        raise MisconfiguredError(f"the command {command} is not in PATH: No such file or directory")
    reason = "it is not executable" if os.path.exists(command) else "No such file or directory"
    raise MisconfiguredError(f"the command {command} cannot be started: {reason}")


class LineBuffer:
    """Lines, made of chunks, each of which is looked at once. It holds a line until it is taken."""

    def __init__(self, held: HeldBytes) -> None:
        self._held = held
        self._begun = bytearray()
        self._lines: deque[bytearray] = deque()

    def add(self, chunk: bytes, most: int) -> None:
        """`most` bytes may be in a line. Raises TooLongError."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._extend_line(end, most)
            self._lines.append(self._begun)
            self._begun = bytearray()
        self._extend_line(rest, most)

    def take(self) -> bytearray | None:
        """The next line that is whole."""
        return self._lines.popleft() if self._lines else None

    @property
    def beginning(self) -> bytes:
        """The first bytes of the line that is not whole yet."""
        return bytes(self._begun[:LOOKED_AT])

    def _extend_line(self, piece: bytes, most: int) -> None:
        self._begun += piece
        if len(self._begun) > most:
            raise TooLongError(f"a line of more than {most} bytes")
        self._held.grow(len(self._begun))


async def _read_messages(
    child: ServerProcess,
    reader: SharedStreamReader,
    to_session: ObjectSendStream[SessionMessage | Exception],
    in_flight: BytesInFlight,
    end: Callable[[], None],
) -> None:
    try:
        with in_flight.answer() as held:
            lines = LineBuffer(held)
            while not child.stdout.at_eof():
                await _read_chunk(child, reader, lines, to_session)
    except OSError as problem:
        log.info("mcp_server.output_broke", problem=type(problem).__name__)
    except (TooLongError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the session is over
    finally:
        end()


async def _read_chunk(
    child: ServerProcess,
    reader: SharedStreamReader,
    lines: LineBuffer,
    to_session: ObjectSendStream[SessionMessage | Exception],
) -> None:
    """Holds nothing of it when it has returned. Raises TooLongError."""
    too_long: TooLongError | None = None
    try:
        lines.add(await child.stdout.read(CHUNK_BYTES), reader.most_bytes)
    except TooLongError as problem:
        too_long = problem
    while (line := lines.take()) is not None:
        for message in await reader.read(line):
            await to_session.send(message)
    if too_long is not None:
        log.warning("mcp_server.line_too_long", problem=str(too_long))
        for message in reader.refuse(lines.beginning, f"it answered with {too_long}"):
            await to_session.send(message)
        raise too_long


async def _write_messages(
    child: ServerProcess, requests: OpenRequests, from_session: AsyncIterator[SessionMessage], end: Callable[[], None]
) -> None:
    try:
        async for each in from_session:
            requests.note_sent(each.message)
            child.stdin.write(each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await child.stdin.drain()
    except (OSError, RuntimeError):
        # RuntimeError is uvloop's word for a pipe that was closed before.
        end()
