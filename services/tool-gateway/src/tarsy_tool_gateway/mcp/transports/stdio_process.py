"""Process of a stdio server, from its start to its certain end, with all the processes that it starts."""

import asyncio
import os
import signal
import subprocess
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

import anyio

CHUNK_BYTES = 256 * 1024
GRACE_SECONDS = 2.0
"""For a program to end when its input does, and again when it is asked to."""
LAST_WORDS_SECONDS = 0.5
"""So long after a program's end its output is read. A grandchild may hold the pipe open for ever."""
LOOK_SECONDS = 0.02


class ServerProcess(SubprocessStreamProtocol):
    """The leader of a process group of its own."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    def __init__(self) -> None:
        self._running = asyncio.get_running_loop()
        super().__init__(limit=CHUNK_BYTES, loop=self._running)
        self._exited = asyncio.Event()
        self._hanging_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        # uvloop's is of no such class.
        self._process = cast(asyncio.SubprocessTransport, transport)
        self._group = self._process.get_pid()

    def process_exited(self) -> None:
        super().process_exited()
        self._exited.set()
        self._hanging_up = self._running.call_later(LAST_WORDS_SECONDS, self._hang_up)

    async def stop(self) -> None:
        """Takes three times the grace at the very most."""
        draining = asyncio.create_task(self._drain_output(), name="last output of a program")
        try:
            self.stdin.close()
            await self._wait_within_grace(self._exited.wait())
            await self._kill_group()
        finally:
            draining.cancel()
            await asyncio.wait([draining])
            self._release_pipes()

    async def _kill_group(self) -> None:
        if not self._is_gone():
            self._signal_group(signal.SIGTERM)
            await self._wait_within_grace(self._wait_until_gone())
        if not self._is_gone():
            self._signal_group(signal.SIGKILL)
            await self._wait_within_grace(self._exited.wait())

    async def _drain_output(self) -> None:
        """Reads on, so that the end of the output is seen: nobody else reads any longer."""
        with suppress(OSError):
            while await self.stdout.read(CHUNK_BYTES):
                pass

    async def _wait_until_gone(self) -> None:
        while True:
            if self._is_gone():
                return
            await asyncio.sleep(LOOK_SECONDS)

    def _is_gone(self) -> bool:
        """With its grandchildren. Ended ones count until their end was noticed."""
        return self._exited.is_set() and not self._signal_group(0)

    def _signal_group(self, number: int) -> bool:
        try:
            os.killpg(self._group, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    async def _wait_within_grace(self, end: Coroutine[object, object, object]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await end

    def _hang_up(self) -> None:
        pipe = self._process.get_pipe_transport(1)
        if pipe is not None:
            pipe.close()

    def _release_pipes(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
        if self.stdin.transport.get_write_buffer_size():
            self.stdin.transport.abort()  # a mere close waits until somebody has read it
        self._process.close()


@asynccontextmanager
async def running(
    command: Sequence[str], environment: Mapping[str, str], cwd: Path | None, standard_error: TextIO
) -> AsyncIterator[ServerProcess]:
    """Leaves no process behind, whatever happens, also when it is cancelled while it starts. Raises OSError."""
    starting = asyncio.create_task(_start_process(command, environment, cwd, standard_error), name="start of a program")
    try:
        await asyncio.wait([starting])
        yield starting.result()
    finally:
        await _wait_to_the_end(_stop_once_started(starting))


async def _start_process(
    command: Sequence[str], environment: Mapping[str, str], cwd: Path | None, standard_error: TextIO
) -> ServerProcess:
    _, child = await asyncio.get_running_loop().subprocess_exec(
        ServerProcess,
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=standard_error,
        env=dict(environment),
        cwd=None if cwd is None else str(cwd),
        start_new_session=True,
    )
    return child


async def _stop_once_started(starting: asyncio.Task[ServerProcess]) -> None:
    await asyncio.wait([starting])
    if starting.exception() is None:
        await starting.result().stop()


async def _wait_to_the_end(work: Coroutine[object, object, None]) -> None:
    """A cancellation meanwhile takes effect afterwards."""
    task = asyncio.create_task(work, name="end of a program")
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as problem:
                cancelled = problem
    task.result()
    if cancelled is not None:
        raise cancelled
