"""Lines of a log: one JSON object each, made readable."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from tarsy_local.terminal_text import one_line

SHOWN_APART = frozenset({"event", "level", "logger", "timestamp", "exception", "trace_id", "span_id"})
STYLES: Mapping[str, str] = {"error": "red", "critical": "bold red", "warning": "yellow", "debug": "dim"}


@dataclass(frozen=True, slots=True)
class LogLine:
    """`fields` are empty of a line that is no JSON object, such as the last words of a process that died."""

    origin: str
    raw: str
    fields: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def timestamp(self) -> str:
        """Sorts as text. Empty where the line has none: such a line stays behind the one before it."""
        return str(self.fields.get("timestamp", ""))

    @property
    def style(self) -> str:
        return STYLES.get(str(self.fields.get("level")), "default")

    def is_of_session(self, beginning: str) -> bool:
        """Ids of traces are those of sessions, without dashes."""
        session, trace = (str(self.fields.get(name, "")) for name in ("session_id", "trace_id"))
        return session.startswith(beginning) or trace.startswith(beginning.replace("-", ""))

    def readable(self) -> str:
        if not self.fields:
            return f"{self.origin}  {one_line(self.raw)}"
        level = str(self.fields.get("level", ""))
        pairs = [f"{name}={_value_text(value)}" for name, value in self.fields.items() if name not in SHOWN_APART]
        parts = (one_line(str(self.fields.get("event", ""))), *pairs, _describe_exception(self.fields))
        return f"{_local_time(self.timestamp)} {level:8} {self.origin}  {' '.join(filter(None, parts))}"


def parse_line(origin: str, raw: str) -> LogLine:
    try:
        found = json.loads(raw)
    except ValueError:
        found = None
    return LogLine(origin, raw, found if isinstance(found, dict) else {})


def _value_text(value: JsonValue) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value))


def _local_time(timestamp: str) -> str:
    try:
        return f"{datetime.fromisoformat(timestamp).astimezone():%m-%d %H:%M:%S}"
    except ValueError:
        return one_line(timestamp)


def _describe_exception(fields: Mapping[str, JsonValue]) -> str:
    """The exception itself; `--json` has its traceback."""
    match fields.get("exception"):
        case [{"exc_type": str(kind), "exc_value": str(value)}, *_]:
            return f"({one_line(kind)}: {one_line(value)})"
        case _:
            return ""
