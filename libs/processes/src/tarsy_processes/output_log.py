"""Log of a child's output: a file that is rotated, and written by a process of its own (see log_writer)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarsy_processes.log_writer_process import log_writer_process

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
        self._writer = log_writer_process()
        self._number: int | None = None
        with path.open("ab") as begun:  # raises here what the writer could tell nobody
            self._start = begun.tell()

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """The child writes to it: open in the body, in which the child is started."""
        reading, writing = os.pipe()
        try:
            self._number = self._writer.write(self.path, reading, limit=self._log_bytes, kept=LOGS_KEPT)
            yield writing
        finally:
            os.close(writing)

    def keep_writing(self) -> None:
        """Starts the writer again when it has died."""
        self._writer.keep_running()

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
        if self._number is not None:
            self._writer.wait(self._number, _LOG_SECONDS)

    def close(self) -> None:
        """The log gets no more writes after this."""
        self.finish()
        if self._number is not None:
            # A process that the child left behind may still hold the pipe: it has nobody to write to any more.
            self._writer.stop_writing(self._number, _LOG_SECONDS)
