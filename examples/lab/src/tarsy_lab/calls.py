"""A file that says which tools ran, one JSON line per start and per end, so that executions can be counted.

`trace_id` is the trace that the caller named: so the runs of one investigation are found among those of others.
"""

import asyncio
import functools
import inspect
import json
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError
from opentelemetry import trace

HOLD_LOOK_SECONDS = 0.05
MOST_REMEMBERED = 1_000

type CallRow = Mapping[str, object]


@dataclass(frozen=True)
class CallLog:
    """Where calls are written (nowhere when `path` is None) and how long each tool takes.

    While the file `hold` exists, the tools that it names wait before they run, or all where it names none. `remembered`
    are the last calls of this process, for when there is no file.
    """

    path: Path | None = None
    hold: Path | None = None
    delays: Mapping[str, float] | None = None
    delay: float = 0.0
    remembered: deque[CallRow] = field(default_factory=lambda: deque(maxlen=MOST_REMEMBERED))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], *, path: Path | None = None) -> "CallLog":
        """Written to what TARSY_LAB_CALLS names, or else to `path`."""
        named = environment.get("TARSY_LAB_CALLS")
        path = Path(named) if named else path
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        prefix = "TARSY_LAB_DELAY_SECONDS_"
        hold = environment.get("TARSY_LAB_HOLD")
        return cls(
            path=path,
            hold=Path(hold) if hold else None,
            delays={name.removeprefix(prefix): float(v) for name, v in environment.items() if name.startswith(prefix)},
            delay=float(environment.get("TARSY_LAB_DELAY_SECONDS", "0")),
        )

    def record_calls[**P](self, tool: Callable[P, Awaitable[str]]) -> Callable[P, Awaitable[str]]:
        name = getattr(tool, "__name__", repr(tool))
        defaults = {key: one.default for key, one in inspect.signature(tool).parameters.items()}

        @functools.wraps(tool)
        async def run(*args: P.args, **kwargs: P.kwargs) -> str:
            # The SDK fills in what was left out; notes are compared with what was asked for.
            given = {key: value for key, value in kwargs.items() if value != defaults[key]}
            self._write(name, given, "started")
            await asyncio.sleep((self.delays or {}).get(name, self.delay))
            while self._is_held(name):  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(HOLD_LOOK_SECONDS)
            try:
                answer = await tool(*args, **kwargs)
            except ToolError:
                self._write(name, given, "finished", outcome="error")
                raise
            self._write(name, given, "finished", outcome="ok")
            return answer

        return run

    def list_ended_well(self, tool: str) -> list[CallRow]:
        """The arguments of all such calls that the present trace has made; with a file, in any process."""
        present = _trace_id()
        return [
            row["arguments"]
            for row in self._rows(tool)
            if (row["tool"], row["trace_id"], row.get("outcome")) == (tool, present, "ok")
            and isinstance(row["arguments"], dict)
        ]

    def _rows(self, tool: str) -> Iterable[CallRow]:
        if self.path is None:
            return list(self.remembered)
        try:
            written = self.path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        # A server that was killed may have left half a line.
        return [json.loads(line) for line in written if f'"{tool}"' in line and line.endswith("}")]

    def _is_held(self, tool: str) -> bool:
        if self.hold is None:
            return False
        try:
            named = self.hold.read_text("utf-8").split()
        except FileNotFoundError:
            return False
        return not named or tool in named

    def _write(self, tool: str, arguments: Mapping[str, object], phase: str, **more: str) -> None:
        at = datetime.now(UTC).isoformat()
        line = {"tool": tool, "arguments": arguments, "phase": phase, "at": at, "pid": os.getpid(), **more}
        line["trace_id"] = _trace_id()
        if self.path is None:
            self.remembered.append(line)
            return
        # Opened for each line and synced: the process may be killed at any moment, and several may write to one file.
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, (json.dumps(line) + "\n").encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _trace_id() -> str:
    return trace.format_trace_id(trace.get_current_span().get_span_context().trace_id)
