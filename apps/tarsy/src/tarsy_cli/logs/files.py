"""Files of the logs: read to their ends, and followed across rotation."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from tarsy_cli.logs.lines import LogLine, parse_line
from tarsy_local.instance_counts import SERVICES

UP = "up"
SHARED = "tarsy.log"
POLL_SECONDS = 0.2
TAIL_BYTES = 2_000_000
"""The part of each file that is read, where only its last lines are wanted."""


def log_files(home: Path, service: str) -> list[Path]:
    """That of `tarsy up`, in which all services write where they share its process, and those of the processes."""
    of_processes = sorted((home / "logs").glob("*.log"))
    wanted = [file for file in of_processes if not service or file.stem.rpartition("-")[0] == service]
    return [file for file in (home / SHARED, *wanted) if file.is_file()]


def is_of_service(line: LogLine, service: str) -> bool:
    return not service or line.origin == service or line.origin.rpartition("-")[0] == service


def read_lines(file: Path, *, whole: bool) -> Iterator[LogLine]:
    """With `whole`, also those of the file that was rotated away before it."""
    older = file.with_name(f"{file.name}.1")
    for path in (older, file) if whole and older.is_file() else (file,):
        with path.open("rb") as opened:
            if not whole and (size := path.stat().st_size) > TAIL_BYTES:
                opened.seek(size - TAIL_BYTES)
                opened.readline()
            yield from (_parse_log_line(file, raw) for raw in opened)


def in_order(logs: Iterable[Iterable[LogLine]]) -> list[LogLine]:
    """By time. A line without one belongs to the line before it in its log."""
    keyed: list[tuple[str, LogLine]] = []
    for log in logs:
        last = ""
        for line in log:
            last = line.timestamp or last
            keyed.append((last, line))
    return [line for _, line in sorted(keyed, key=lambda pair: pair[0])]


class FollowedFile:
    """Gives the lines that are written from its making on. A file that is rotated is read to its end first."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._opened = file.open("rb")
        self._opened.seek(0, os.SEEK_END)
        self._part = b""

    def close(self) -> None:
        self._opened.close()

    def lines(self) -> Iterator[LogLine]:
        yield from self._read_lines()
        if self._is_another_file():
            self._opened.close()
            self._opened = self._file.open("rb")
            yield from self._read_lines()

    def _read_lines(self) -> Iterator[LogLine]:
        *whole, self._part = (self._part + self._opened.read()).split(b"\n")
        yield from (_parse_log_line(self._file, raw) for raw in whole)

    def _is_another_file(self) -> bool:
        try:
            return self._file.stat().st_ino != os.fstat(self._opened.fileno()).st_ino
        except FileNotFoundError:
            return False


def follow(files: Iterable[Path], show: Callable[[LogLine], None]) -> None:
    """Until the person ends it."""
    with ExitStack() as stack:
        followed = [stack.enter_context(closing(FollowedFile(file))) for file in files]
        while True:
            for line in in_order(file.lines() for file in followed):
                show(line)
            time.sleep(POLL_SECONDS)


def _parse_log_line(file: Path, raw: bytes) -> LogLine:
    line = parse_line(UP if file.name == SHARED else file.stem, raw.decode(errors="replace").rstrip("\n"))
    return replace(line, origin=_service_of_line(line)) if file.name == SHARED else line


def _service_of_line(line: LogLine) -> str:
    """In the shared file, the logger's name identifies the service."""
    package = str(line.fields.get("logger", "")).partition(".")[0]
    return next((one for one in SERVICES if package == f"tarsy_{one.replace('-', '_')}"), UP)
