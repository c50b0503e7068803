"""Writes what comes in on stdin to a file of bounded size: the process at the end of a child's output.

A process of its own, run by path with nothing but the standard library: it outlives whoever started the child, so that
the child's last words are kept, and a frozen or busy parent holds no child up. It ends when all writers have ended.

    log_writer.py FILE BYTES KEPT
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

CHUNK_BYTES = 64 * 1024


class RotatedFile:
    """At most `kept` older files beside it, FILE.1 the newest; each of about `limit` bytes, cut after a line."""

    def __init__(self, path: Path, limit: int, kept: int) -> None:
        self._path = path
        self._limit = limit
        self._kept = kept
        self._file = self._open()

    def write(self, data: bytes) -> None:
        """Drops what cannot be written (the disk is full): the process that wrote it must not wait."""
        with suppress(OSError):
            self._write(data)

    def _write(self, data: bytes) -> None:
        end = data.rfind(b"\n", 0, -1) + 1  # the newest file is never left empty: people read its last lines
        if os.fstat(self._file).st_size + len(data) <= self._limit or (end == 0 and not self._is_far_beyond()):
            _write_all(self._file, data)
            return
        _write_all(self._file, data[:end])
        self._rotate()
        _write_all(self._file, data[end:])

    def _is_far_beyond(self) -> bool:
        """A line without end must not make a file without end."""
        return os.fstat(self._file).st_size > 2 * self._limit

    def _rotate(self) -> None:
        for number in range(self._kept, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))
        full, self._file = self._file, self._open()
        os.close(full)

    def _numbered(self, number: int) -> Path:
        return self._path if number == 0 else self._path.with_name(f"{self._path.name}.{number}")

    def _open(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def main() -> None:
    # A stop of all processes at once stops the writers; their last words are still to be written.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    path, limit, kept = sys.argv[1:]
    file = RotatedFile(Path(path), int(limit), int(kept))
    while data := os.read(sys.stdin.fileno(), CHUNK_BYTES):
        file.write(data)


if __name__ == "__main__":
    main()
