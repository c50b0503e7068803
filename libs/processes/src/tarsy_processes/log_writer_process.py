"""Process that writes the logs of this one's children: started with the first log, and again when it has died."""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tarsy_processes import log_writer
from tarsy_processes.log_writer import MESSAGE_BYTES, LogOrder, LogReport

_LOOK_SECONDS = 0.02
"""A thread that waits holds the lock for so long; an event loop that looks after children waits for it."""


@dataclass(frozen=True, slots=True)
class _WrittenLog:
    """`pipe` is its reading end. We keep it, so that a child waits for the next writer instead of failing."""

    order: LogOrder
    pipe: int


class LogWriterProcess:
    """Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._logs: dict[int, _WrittenLog] = {}
        self._begun = 0
        self._life: _Life | None = None

    def write(self, path: Path, pipe: int, *, limit: int, kept: int) -> int:
        """Writes what comes through the pipe, and closes it at its end. Returns the number of the log."""
        with self._lock:
            self._take_reports()
            self._begun += 1
            order: LogOrder = {"number": self._begun, "path": str(path.absolute()), "limit": limit, "kept": kept}
            self._logs[self._begun] = log = _WrittenLog(order, pipe)
            self._send_log(log)
            return self._begun

    def keep_running(self) -> None:
        """The supervisor of a child calls it repeatedly."""
        with self._lock:
            self._take_reports()

    def wait(self, number: int, seconds: float) -> None:
        """Until the log is written to its end: all who wrote to it have closed it."""
        limit = time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            with self._lock:
                self._take_reports(min(left, _LOOK_SECONDS))
                if number not in self._logs:
                    return

    def stop_writing(self, number: int, seconds: float) -> None:
        """Stops even if a process still holds the pipe."""
        with self._lock:
            if number in self._logs and self._life is not None:
                self._life.send({"number": number})
        self.wait(number, seconds)

    def _take_reports(self, seconds: float = 0.0) -> None:
        """Takes in what was reported, for which it waits at most so long, and starts the writer again if need be."""
        if self._life is None:
            return
        for report in self._life.reports(seconds):
            os.close(self._logs.pop(report["number"]).pipe)
        if self._life.has_ended():
            self._life.close()
            self._life = None
            for log in self._logs.values():
                self._send_log(log)

    def _send_log(self, log: _WrittenLog) -> None:
        if self._life is None:
            self._life = _Life()
        self._life.send(log.order, log.pipe)


class _Life:
    """One life of the process."""

    def __init__(self) -> None:
        self._received = b""
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", log_writer.__file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
                pass_fds=[theirs.fileno()],
            )

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> None:
        self._socket.close()

    def send(self, order: LogOrder, *descriptors: int) -> None:
        with suppress(OSError):  # it has died: the next one gets all orders again
            socket.send_fds(self._socket, [json.dumps(order).encode() + b"\n"], descriptors)

    def reports(self, seconds: float) -> Iterator[LogReport]:
        """Returns the reports that have come, and waits at most so long for one."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        try:
            data = self._socket.recv(MESSAGE_BYTES)
        except ConnectionResetError:
            return
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            yield json.loads(line)


@cache
def _shared_log_writer_process(_pid: int) -> LogWriterProcess:
    return LogWriterProcess()


def log_writer_process() -> LogWriterProcess:
    """That of this process: a fork must not use its parent's, whose answers it would take."""
    return _shared_log_writer_process(os.getpid())
