"""Serves one incident over stdio: `python -m tarsy_lab INCIDENT_DIR`."""

import argparse
import os
from pathlib import Path

from tarsy_lab.calls import CallLog
from tarsy_lab.server import build


def main() -> None:
    parser = argparse.ArgumentParser(prog="tarsy-lab", description="Serve a recorded incident as an MCP server.")
    parser.add_argument("incident", type=Path, help="folder of the incident, such as examples/incidents/crash-loop")
    incident: Path = parser.parse_args().incident
    if not (incident / "incident.yaml").is_file():
        parser.error(f"{incident} is not an incident: it has no incident.yaml")
    build(incident, CallLog.from_environment(os.environ)).run("stdio")


if __name__ == "__main__":
    main()
