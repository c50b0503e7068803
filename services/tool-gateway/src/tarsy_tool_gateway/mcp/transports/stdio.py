"""stdio transport of our own.

The SDK's transport keeps a line without bound, in quadratic time, and with one that never ends it cannot stop. It adds
variables of ours to the child's environment, and tells nobody when a server ends that has no calls.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TextIO

import anyio
import structlog
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter as MESSAGE

from tarsy_bus.background_tasks import background_tasks
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.sdk_internals import TransportStreams
from tarsy_tool_gateway.mcp.server_plan import StdioTransport
from tarsy_tool_gateway.mcp.transports.bounded_answer import TooLongError
from tarsy_tool_gateway.mcp.transports.http_errors import MOST_ANSWER_BYTES
from tarsy_tool_gateway.mcp.transports.stdio_process import CHUNK_BYTES, ServerProcess, running

log = structlog.get_logger(__name__)

type Incoming = SessionMessage | Exception

SMALL_BYTES = 256 * 1024
"""A longer message is parsed in a thread."""


@asynccontextmanager
async def stdio_streams(
    transport: StdioTransport, standard_error: TextIO, ended: Callable[[], None]
) -> AsyncIterator[TransportStreams]:
    """`ended` is called when the server's output is over, or nobody can use it. Raises MisconfiguredError."""
    environment = environment_of(transport, os.environ)
    _check(transport, environment)
    command = (transport.command, *transport.arguments)
    async with running(command, environment, transport.cwd, standard_error) as child:
        to_session, reading = anyio.create_memory_object_stream[Incoming](0)
        writing, from_session = anyio.create_memory_object_stream[SessionMessage](0)

        def end() -> None:
            ended()
            to_session.close()

        with to_session, reading, writing, from_session:
            async with background_tasks(_read(child, to_session, end), _write(child, from_session, end)):
                yield reading, writing


def environment_of(transport: StdioTransport, ours: Mapping[str, str]) -> dict[str, str]:
    """All that the child gets."""
    inherited = {name: ours[name] for name in transport.inherit if name in ours}
    return inherited | dict(transport.environment)


def _check(transport: StdioTransport, environment: Mapping[str, str]) -> None:
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
    """Made of chunks, each of which is looked at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._begun = bytearray()

    def ended_by(self, chunk: bytes) -> Iterator[bytearray]:
        """Raises TooLongError."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._add(end)
            line, self._begun = self._begun, bytearray()
            yield line
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        if len(self._begun) + len(piece) > self._most:
            self._begun = bytearray()
            raise TooLongError
        self._begun += piece


async def _read(child: ServerProcess, to_session: ObjectSendStream[Incoming], end: Callable[[], None]) -> None:
    lines = LineBuffer(MOST_ANSWER_BYTES)
    try:
        while chunk := await child.stdout.read(CHUNK_BYTES):
            for line in lines.ended_by(chunk):
                await to_session.send(await _message(line))
    except TooLongError:
        # The line that is too long names its call, and cannot be read: the session ends, with all its calls.
        log.warning("mcp_server.line_too_long", most_bytes=MOST_ANSWER_BYTES)
    except OSError as problem:
        log.info("mcp_server.output_broke", problem=type(problem).__name__)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the session is over
    finally:
        end()


async def _message(line: bytearray) -> Incoming:
    message = _parsed(line) if len(line) <= SMALL_BYTES else await asyncio.to_thread(_parsed, line)
    if isinstance(message, Exception):
        log.warning("mcp_server.no_message", bytes=len(line), problem=type(message).__name__)
    return message


def _parsed(line: bytearray) -> Incoming:
    """One wrong byte is not the end of a session, and no reason to hold a long line in a wider form for all others."""
    try:
        return SessionMessage(MESSAGE.validate_json(line, by_name=False))
    except ValueError as problem:
        text = line.decode(errors="replace")
        if "\ufffd" not in text:
            return problem
    try:
        return SessionMessage(MESSAGE.validate_json(text, by_name=False))
    except ValueError as problem:
        return problem


async def _write(child: ServerProcess, from_session: AsyncIterator[SessionMessage], end: Callable[[], None]) -> None:
    try:
        async for each in from_session:
            child.stdin.write(each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await child.stdin.drain()
    except (OSError, RuntimeError):
        # RuntimeError is uvloop's word for a pipe that was closed before.
        end()
