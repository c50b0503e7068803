"""`make soak`, or `PYTHONPATH=tests-support python -m tarsy_soak`."""

import tempfile
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, get_console, say
from tarsy_lab.incidents import InvalidIncidentError, incident_folders, read_incident
from tarsy_processes.errors import ProcessError
from tarsy_service.telemetry.logs import configure_logs
from tarsy_soak.environment import SoakError, soak_environment
from tarsy_soak.run import Soak, run_soak
from tarsy_soak.schedule import schedule
from tarsy_soak.verdict import faults_of_soak, report

INCIDENTS = Path("examples/incidents")
TOPIC_PREFIX = "tarsy"


def soak(
    minutes: Annotated[float, typer.Option(help="how long faults are injected", min=1, max=24 * 60)] = 30,
    seed: Annotated[int, typer.Option(help="chooses the faults and their moments")] = 1,
    every: Annotated[float, typer.Option(help="seconds between two alerts", min=0.1)] = 4.0,
    compression: Annotated[str, typer.Option(help="the broker's own compression.type")] = "zstd",
    config: Annotated[Path, typer.Option(help="the folder of tarsy.yaml")] = Path("config"),
    folder: Annotated[
        Path | None, typer.Option(help="where data and logs go, and stay; else a folder that is removed")
    ] = None,
) -> None:
    """Run a TARSy of its own under load, let everything fail around it, and judge what was lost."""
    try:
        incidents = [read_incident(one) for one in incident_folders(INCIDENTS)]
    except InvalidIncidentError as problem:
        raise fail(str(problem)) from None
    planned = schedule(seed=seed, seconds=minutes * 60)
    say(f"{len(planned)} faults in {minutes:g} minutes, seed {seed}")
    with tempfile.TemporaryDirectory(prefix="tarsy-soak-", ignore_cleanup_errors=True) as temporary:
        place = (folder or Path(temporary)).absolute()
        place.mkdir(parents=True, exist_ok=True)
        try:
            with (
                (place / "soak.log").open("a", encoding="utf-8", buffering=1) as file,
                soak_environment(place, config, compression=compression) as running,
            ):
                configure_logs("INFO", file)
                say(f"TARSy is ready; its logs are in {running.home.folder}")
                findings = run_soak(Soak(running, incidents, planned, Random(seed), every, TOPIC_PREFIX, say))
        except (SoakError, ProcessError, OSError) as problem:
            raise fail(str(problem)) from None
    faults = faults_of_soak(findings)
    for line in report(findings, faults):
        get_console().print(line, style="red" if faults else "green", markup=False)
    if faults:
        raise fail(f"The soak failed; seed {seed} plans the same faults again.")


if __name__ == "__main__":
    typer.run(soak)
