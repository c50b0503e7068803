"""The outside world: a model and an MCP server, each in a process of its own."""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tarsy_processes.ports import free_port

HERE = Path(__file__).resolve().parent
START_SECONDS = 20.0
TURNS = 4
type ToolKind = Literal["reads", "granted"]
"""A tool that only reads may run at once; any other runs on a grant."""


@dataclass(frozen=True, slots=True)
class Note:
    """The model was `asked`, or had `answered`, at that time (seconds since 1970) for the alert of that number."""

    what: str
    number: int
    at: float


@dataclass(frozen=True, slots=True)
class Outside:
    model_url: str
    tools_url: str
    processes: dict[str, int]
    notes_file: Path

    def notes(self) -> list[Note]:
        """In order. Those that no alert was named in are left out."""
        rows = (line.split() for line in self.notes_file.read_text(encoding="utf-8").splitlines())
        return [Note(row[0], int(row[1]), float(row[2])) for row in rows if len(row) == 3 and row[1] != "-"]


@contextmanager
def outside(
    *, model_seconds: float, tool_seconds: float, turns: int = TURNS, noting: bool = False, tool: ToolKind = "reads"
) -> Iterator[Outside]:
    """They answer as long as the body runs."""
    model_port, tools_port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        running = [
            _start("model_server.py", model_port, model_seconds, turns, notes if noting else "-"),
            _start("tool_server.py", tools_port, tool_seconds, *(["granted"] if tool == "granted" else [])),
        ]
        try:
            for port in (model_port, tools_port):
                _until_open(port)
            yield Outside(
                model_url=f"http://127.0.0.1:{model_port}/v1",
                tools_url=f"http://127.0.0.1:{tools_port}/mcp",
                processes={"model (outside)": running[0].pid, "MCP server (outside)": running[1].pid},
                notes_file=notes,
            )
        finally:
            for process in running:
                process.terminate()
                process.wait(10)


def _start(file: str, *arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, str(HERE / file), *map(str, arguments)], stdin=subprocess.DEVNULL)


def _until_open(port: int) -> None:
    limit = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
            return
        except OSError:
            if time.monotonic() > limit:
                raise
            time.sleep(0.05)
