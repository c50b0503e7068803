"""The crash-loop incident as tests use it."""

import json
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

INCIDENT = Path(__file__).resolve().parent.parent / "examples" / "incidents" / "crash-loop"


def alert_now() -> JsonValue:
    """The incident's webhook, with a beginning of its own: each is another episode."""
    body = json.loads((INCIDENT / "alert.json").read_text("utf-8"))
    for alert in body["alerts"]:
        alert["startsAt"] = datetime.now(UTC).isoformat()
    found: JsonValue = body
    return found


def planted_secrets() -> list[str]:
    lines = (INCIDENT / "planted-secrets.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def executions(lab_calls: Path, tool: str) -> int:
    """How often the lab began to run a tool."""
    if not lab_calls.exists():
        return 0
    rows = [json.loads(line) for line in lab_calls.read_text("utf-8").splitlines()]
    return sum(row["tool"] == tool and row["phase"] == "started" for row in rows)
