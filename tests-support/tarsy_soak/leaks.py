"""Planted secrets that a soak finds where nobody may: in topics that are read on, and in the logs of processes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tarsy_lab.incidents import Incident
from tarsy_soak.hostile_server import PLANTED

FILE = "planted-secrets.txt"


def planted_secrets(incidents: Iterable[Incident]) -> list[str]:
    """Secrets of the incidents' evidence, and those of the hostile servers."""
    files = [incident.alert_file.with_name(FILE) for incident in incidents]
    lines = [line for file in files if file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
    return [PLANTED, *(line for line in lines if line and not line.startswith("#"))]


class SecretSearch:
    """`found` counts per place, without the secret: what is said of it may be logged."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [part.encode() for secret in secrets for part in {secret, json.dumps(secret)[1:-1]}]
        self.found: dict[str, int] = {}

    def look(self, where: str, content: bytes) -> None:
        if any(secret in content for secret in self._secrets):
            self.found[where] = self.found.get(where, 0) + 1

    def look_into(self, folder: Path) -> None:
        """The logs of a TARSy's processes, a line at a time."""
        for file in sorted(folder.rglob("*.log*")):
            with file.open("rb") as lines:
                for line in lines:
                    self.look(file.name, line)

    def faults(self) -> Iterator[str]:
        yield from (f"planted secrets in {where}: {count} times" for where, count in sorted(self.found.items()))
