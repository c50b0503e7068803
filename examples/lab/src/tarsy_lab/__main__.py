"""Serves incidents as one cluster over stdio: `python -m tarsy_lab DIR [DIR ...]`."""

import argparse
import os
from pathlib import Path

from tarsy_lab.calls import CallLog
from tarsy_lab.cluster import AmbiguousIncidentError, Cluster
from tarsy_lab.evidence import Evidence
from tarsy_lab.incidents import InvalidIncidentError, incident_folders
from tarsy_lab.server import build


def main() -> None:
    parser = argparse.ArgumentParser(prog="tarsy-lab", description="Serve recorded incidents as an MCP server.")
    parser.add_argument(
        "incidents",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folder of an incident, such as examples/incidents/crash-loop, or a folder of such folders",
    )
    parser.add_argument("--calls", type=Path, metavar="FILE", help="note there which tools ran (or TARSY_LAB_CALLS)")
    chosen = parser.parse_args()
    paths: list[Path] = chosen.incidents
    try:
        cluster = Cluster([Evidence(folder) for path in paths for folder in incident_folders(path)])
    except (InvalidIncidentError, AmbiguousIncidentError) as problem:
        parser.error(str(problem))
    build(cluster, CallLog.from_environment(os.environ, path=chosen.calls)).run("stdio")


if __name__ == "__main__":
    main()
