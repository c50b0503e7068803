"""The incidents of the lab as tests use them; crash-loop where none is named."""

import gzip
import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import yaml
from pydantic import JsonValue

INCIDENTS = Path(__file__).resolve().parent.parent.parent.parent / "examples" / "incidents"
INCIDENT = INCIDENTS / "crash-loop"
EVERY_INCIDENT = tuple(sorted(file.parent for file in INCIDENTS.glob("*/incident.yaml")))


def alert_now(incident: Path = INCIDENT) -> JsonValue:
    """The incident's webhook with a beginning and a fingerprint of its own: another alert, which joins none."""
    body = json.loads((incident / "alert.json").read_text("utf-8"))
    for alert in body["alerts"]:
        alert["fingerprint"] = uuid4().hex[:16]
        alert["startsAt"] = datetime.now(UTC).isoformat()
    found: JsonValue = body
    return found


def planted_secrets(incidents: Sequence[Path] = EVERY_INCIDENT) -> list[str]:
    lines = [line for one in incidents for line in (one / "planted-secrets.txt").read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def copy_with_a_short_log(folder: Path) -> Path:
    """Copies the incidents, with a tenth of the noise in the log of crash-loop, and returns where they are.

    A log of 10 MB costs some seconds of CPU each time that it is read, masked, stored and summarised.
    """
    shutil.copytree(INCIDENTS, folder)
    for file in (folder / INCIDENT.name).glob("logs/*.gz"):
        story = yaml.safe_load(file.with_name("story.yaml").read_text("utf-8"))
        of_the_story = {line[:40] for scene in story["scenes"] for line in scene["lines"]}
        lines = _lines_of(file)
        kept = [
            line for number, line in enumerate(lines) if number % 10 == 0 or any(text in line for text in of_the_story)
        ]
        file.write_bytes(gzip.compress("".join(kept).encode(), compresslevel=1))
    return folder


def read_log(incident: Path = INCIDENT) -> list[str]:
    """The lines of its only log."""
    (file,) = incident.glob("logs/*.gz")
    return _lines_of(file)


def _lines_of(file: Path) -> list[str]:
    return gzip.decompress(file.read_bytes()).decode().splitlines(keepends=True)


def executions(lab_calls: Path, tool: str) -> int:
    """How often the lab began to run a tool."""
    if not lab_calls.exists():
        return 0
    rows = [json.loads(line) for line in lab_calls.read_text("utf-8").splitlines()]
    return sum(row["tool"] == tool and row["phase"] == "started" for row in rows)
