"""Log of a child's output: a file that is rotated, and written by a process of its own (see log_writer)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tarsy_processes import log_writer

LOG_BYTES = 10_000_000
LOGS_KEPT = 1
_OUTPUT_BYTES = 1_000_000
_LAST_LINES = 10
_LOG_SECONDS = 10.0


class OutputLog:
    """The output of one child, from its start on. Raises OSError where the file cannot be written."""

    def __init__(self, path: Path, log_bytes: int) -> None:
        self.path = path
        self._log_bytes = log_bytes
        self._writer: subprocess.Popen[bytes] | None = None
        with path.open("ab") as begun:  # raises here what the writer could tell nobody
            self._start = begun.tell()

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """The child writes to it: open in the body, in which the child is started."""
        reading, writing = os.pipe()
        try:
            self._writer = _start_writer(self.path, reading, self._log_bytes)
            yield writing
        finally:
            os.close(reading)
            os.close(writing)

    def text(self) -> str:
        """The output since the start, or the end of it."""
        with self.path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            begin = self._start if self._start <= size else 0  # else it was rotated since
            log.seek(max(begin, size - _OUTPUT_BYTES))
            return log.read().decode(errors="replace")

    def last_lines(self) -> str:
        return "\n".join(self.text().splitlines()[-_LAST_LINES:])

    def finish(self) -> None:
        """The child has ended: its last words are in the log when the writer has; mostly that is at once."""
        if self._writer is not None:
            with suppress(subprocess.TimeoutExpired):
                self._writer.wait(_LOG_SECONDS)

    def close(self) -> None:
        """After this nobody writes to the log."""
        self.finish()
        if self._writer is not None and self._writer.poll() is None:
            # A process that the child left behind still holds the pipe: it has nobody to write to any more.
            self._writer.kill()
            self._writer.wait()


def _start_writer(log: Path, reading: int, log_bytes: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", log_writer.__file__, str(log.absolute()), str(log_bytes), str(LOGS_KEPT)],
        stdin=reading,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
