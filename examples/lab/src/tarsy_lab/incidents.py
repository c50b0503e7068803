"""Which incidents a folder holds, and what each says of itself."""

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from tarsy_lab.errors import LabError

DESCRIPTION = "incident.yaml"


class InvalidIncidentError(LabError):
    """The message says which folder, and what is wrong with it. The operator corrects it."""


class Server(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    args: tuple[str, ...]


class Incident(BaseModel):
    """`expected_root_cause`: words that an analysis which found the cause has to use.

    `question`: what a person may ask when the investigation has ended.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Path
    name: str
    title: str
    description: str
    alert: str
    server: Server
    expected_root_cause: tuple[str, ...]
    question: str = ""

    @property
    def alert_file(self) -> Path:
        return self.folder / self.alert


def incident_folders(path: Path) -> tuple[Path, ...]:
    """The path itself when it is an incident, or else all incidents in it. Raises InvalidIncidentError."""
    if (path / DESCRIPTION).is_file():
        return (path,)
    found = tuple(sorted(file.parent for file in path.glob(f"*/{DESCRIPTION}")))
    if not found:
        raise InvalidIncidentError(f"{path} is not an incident: it has no {DESCRIPTION}, and no folder in it has one")
    return found


def read_incident(folder: Path) -> Incident:
    """Raises InvalidIncidentError."""
    file = folder / DESCRIPTION
    try:
        described = yaml.safe_load(file.read_text(encoding="utf-8"))
        return Incident.model_validate({**described, "folder": folder})
    except ValidationError as problem:
        mistakes = [f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in problem.errors()]
        raise InvalidIncidentError(f"{file}: {'; '.join(mistakes)}") from None
    except (OSError, TypeError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise InvalidIncidentError(f"{file} cannot be read: {problem}") from None
