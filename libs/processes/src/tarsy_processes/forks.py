"""Programs as forks of one process that has imported what they import (see fork_server). Linux only."""

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tarsy_processes.allocator import RETURNED_MEMORY
from tarsy_processes.child import STOP_SECONDS, ChildProcess
from tarsy_processes.fork_server import MESSAGE_BYTES, ForkOrder, ForkReport
from tarsy_processes.output_log import LOG_BYTES, OutputLog

KILLED = -int(signal.SIGKILL)


class ForkServer:
    """Starts programs. Its server is started at once, imports `modules` meanwhile, and is started again when it died.

    A module may have the name of a function behind a colon, which is called.

    Its forks die with it, and it with the thread that started it, so only the main thread may. `environment` is that of
    the imports; each fork gets its own.
    """

    def __init__(self, modules: Sequence[str], *, log: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self._modules = modules
        self._log = log
        self._folder = folder
        self._environment = environment
        self._server = self._start_server()

    def start(self, module: str, *, log: Path, log_bytes: int = LOG_BYTES, environment: Mapping[str, str]) -> "Fork":
        """Returns at once: the fork has its process once the server has made its imports."""
        if self._server.has_ended():
            self._server.stop()
            self._server = self._start_server()
        return Fork(self._server, module, OutputLog(log, log_bytes), environment)

    def stop(self) -> None:
        """Kills what still runs."""
        self._server.stop()

    def _start_server(self) -> "_Server":
        return _Server(self._modules, self._log, self._folder, self._environment)


class _Server:
    """One life of the server, and what it has reported of its forks, by their numbers."""

    def __init__(self, modules: Sequence[str], log: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self.pids: dict[int, int] = {}
        self.codes: dict[int, int] = {}
        self.begun = 0
        self._ended = False
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._child = ChildProcess(
                [sys.executable, "-m", "tarsy_processes.fork_server", str(theirs.fileno()), *modules],
                log=log,
                death_signal=signal.SIGKILL,
                folder=folder,
                environment={**RETURNED_MEMORY, **environment},
                descriptors=[theirs.fileno()],
            )

    def has_ended(self) -> bool:
        self.receive()
        return self._ended

    def send(self, order: ForkOrder, descriptors: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._socket, [json.dumps(order).encode()], descriptors)
        except OSError:
            self._ended = True

    def receive(self, seconds: float = 0.0) -> None:
        """Takes in what was reported; waits at most so long where nothing was."""
        while not self._ended and select.select([self._socket], [], [], seconds)[0]:
            try:
                message = self._socket.recv(MESSAGE_BYTES)
            except ConnectionResetError:
                # It ended before it read all orders.
                message = b""
            self._ended = not message
            if message:
                self._note_report(json.loads(message))
            seconds = 0.0

    def code(self, number: int) -> int | None:
        """Forks die with their server."""
        return self.codes.get(number, KILLED if self._ended else None)

    def stop(self) -> None:
        self._ended = True
        self._child.stop(signal.SIGKILL)
        self._socket.close()

    def _note_report(self, report: ForkReport) -> None:
        if "pid" in report:
            self.pids[report["number"]] = report["pid"]
        else:
            self.codes[report["number"]] = report["code"]


class Fork:
    """One program, with the methods of a ChildProcess."""

    def __init__(self, server: _Server, module: str, output: OutputLog, environment: Mapping[str, str]) -> None:
        self.log = output.path
        self._server = server
        self._output = output
        server.begun += 1
        self._number = server.begun
        variables = os.memfd_create("environment")
        try:
            with output.descriptor() as writing:
                _write_and_rewind(variables, json.dumps(dict(environment)).encode())
                server.send({"number": self._number, "module": module}, [writing, variables])
        finally:
            os.close(variables)

    @property
    def pid(self) -> int | None:
        """None until the server has made its imports."""
        self._server.receive()
        return self._server.pids.get(self._number)

    def poll_exit(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        self._output.keep_writing()
        self._server.receive()
        return self._server.code(self._number)

    def send_signal(self, number: signal.Signals) -> None:
        """Does nothing to a fork that has ended."""
        if self.poll_exit() is None:
            self._server.send({"number": self._number, "signal": number})

    def stop(self, stop_signal: signal.Signals, seconds: float = STOP_SECONDS) -> int:
        """Ask, wait, insist. Returns the exit code, negative for a signal."""
        self.send_signal(stop_signal)
        if (code := self._wait_for_exit(seconds)) is None:
            self.send_signal(signal.SIGKILL)
            code = self._wait_for_exit(STOP_SECONDS)
        self._output.close()
        return KILLED if code is None else code

    def output(self) -> str:
        """Its output since it was started, or the end of it."""
        if self.poll_exit() is not None:
            self._output.finish()
        return self._output.text()

    def _wait_for_exit(self, seconds: float) -> int | None:
        limit = time.monotonic() + seconds
        while (code := self.poll_exit()) is None and (left := limit - time.monotonic()) > 0:
            self._server.receive(left)
        return code


def _write_and_rewind(file: int, content: bytes) -> None:
    """The reader of the same file description begins at the beginning."""
    while content:
        content = content[os.write(file, content) :]
    os.lseek(file, 0, os.SEEK_SET)
