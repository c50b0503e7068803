"""Writes what children of one process put out, each to a file of bounded size: the process at the end of their pipes.

Runs as its own process, by path, with the standard library only. It outlives the parent of the children, so it keeps
their last output. A frozen parent blocks no child. The process exits when its parent is gone
and all children have closed their output.

    log_writer.py SOCKET

The socket carries a `LogOrder` a line, for a new log with the descriptor of the pipe, and back a `LogReport` a line.
"""

import json
import os
import selectors
import signal
import socket
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypedDict

CHUNK_BYTES = 64 * 1024
MESSAGE_BYTES = 64 * 1024
_MOST_DESCRIPTORS = 64


class LogOrder(TypedDict, total=False):
    """To write a log, or, without a `path`, to stop writing the one with this number."""

    number: int
    path: str
    limit: int
    kept: int


class LogReport(TypedDict):
    """The log with this number is written to its end."""

    number: int


class RotatedFile:
    """Keeps at most `kept` older files, FILE.1 the newest. Each has about `limit` bytes, and ends after a line."""

    def __init__(self, path: Path, limit: int, kept: int) -> None:
        self._path = path
        self._limit = limit
        self._kept = kept
        self._file: int | None = None

    def write(self, data: bytes) -> None:
        """Drops what cannot be written (the disk is full): the process that wrote it must not wait."""
        with suppress(OSError):
            self._write_or_rotate(data)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write_or_rotate(self, data: bytes) -> None:
        file = self._open_file()
        size = os.fstat(file).st_size
        end = data.rfind(b"\n", 0, -1) + 1  # the newest file is never left empty: people read its last lines
        # A line without end must not make a file without end.
        if size + len(data) <= self._limit or (end == 0 and size <= 2 * self._limit):
            _write_all(file, data)
            return
        _write_all(file, data[:end])
        self._rotate_files()
        _write_all(self._open_file(), data[end:])

    def _rotate_files(self) -> None:
        for number in range(self._kept, 0, -1):
            older = self._path_of_number(number - 1)
            if older.exists():
                older.replace(self._path_of_number(number))
        self.close()

    def _path_of_number(self, number: int) -> Path:
        return self._path if number == 0 else self._path.with_name(f"{self._path.name}.{number}")

    def _open_file(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return self._file


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


class OpenLog(NamedTuple):
    """A child's pipe, and the file that it goes to. No dataclass: their module is a fifth of this process."""

    number: int
    pipe: int
    file: RotatedFile


class PipeCopier:
    """Copies from all pipes, a chunk of each in turn, so that no child holds another up."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._begun = b""
        self._pipes: deque[int] = deque()
        self._logs: dict[int, OpenLog] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ)

    def run(self) -> None:
        """Runs until no order can come and no log is left."""
        while self._selector.get_map():
            for ready, _ in self._selector.select():
                if ready.data is None:
                    self._take_orders()
                elif ready.data.number in self._logs:
                    self._copy_chunk(ready.data)

    def _take_orders(self) -> None:
        data, pipes, _, _ = socket.recv_fds(self._orders, MESSAGE_BYTES, _MOST_DESCRIPTORS)
        if not data:
            self._selector.unregister(self._orders)
            return
        self._pipes.extend(pipes)
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            self._follow_order(json.loads(line))

    def _follow_order(self, order: LogOrder) -> None:
        if "path" not in order:
            if (log := self._logs.get(order["number"])) is not None:
                self._finish_log(log)
            return
        log = OpenLog(
            order["number"], self._pipes.popleft(), RotatedFile(Path(order["path"]), order["limit"], order["kept"])
        )
        self._logs[log.number] = log
        self._selector.register(log.pipe, selectors.EVENT_READ, log)

    def _copy_chunk(self, log: OpenLog) -> None:
        if data := os.read(log.pipe, CHUNK_BYTES):
            log.file.write(data)
        else:
            self._finish_log(log)

    def _finish_log(self, log: OpenLog) -> None:
        del self._logs[log.number]
        self._selector.unregister(log.pipe)
        os.close(log.pipe)
        log.file.close()
        report: LogReport = {"number": log.number}
        with suppress(OSError):  # the parent is gone
            self._orders.sendall(json.dumps(report).encode() + b"\n")


def main() -> None:
    # A stop of all processes at once stops the writer; last words are still to be written.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    PipeCopier(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
