"""The commands about the TARSy of a folder: up, status, down."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.instance import STOPPED, AlreadyRunning, Home
from tarsy_cli.stopping import StopTooSlow, stop_and_wait
from tarsy_cli.terminal import DEFAULT_HOME, INTERRUPTED, HomeOption, fail, say

NOTHING_RUNS = 3


def up(
    home: HomeOption = DEFAULT_HOME,
    config: Annotated[Path, typer.Option(help="the folder of tarsy.yaml", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    http_port: Annotated[
        int, typer.Option(help="of the API, the WebSocket and the metrics", envvar="TARSY_HTTP_PORT")
    ] = 8080,
    kafka_port: Annotated[int, typer.Option(help="of its own Kafka", envvar="TARSY_KAFKA_PORT")] = 29092,
    database_port: Annotated[int, typer.Option(help="of its own PostgreSQL", envvar="TARSY_DATABASE_PORT")] = 25432,
) -> None:
    """Start Kafka, PostgreSQL and all services, and stay in the foreground."""
    # Here, because it imports every service: the other commands answer at once.
    from tarsy_cli.up import Failed, Ports, run_up

    place = Home(home)
    try:
        run_up(place, config_dir=config, ports=Ports(http_port, kafka_port, database_port), say=say)
    except AlreadyRunning:
        running = place.running()
        who = f"process {running.pid}" if running else "another process"
        raise fail(
            f"A TARSy is already running in {home} ({who}): `tarsy status` shows it, `tarsy down` stops it."
        ) from None
    except Failed as problem:
        raise fail(str(problem)) from None
    except KeyboardInterrupt:
        raise fail("Stopped before it was ready.", code=INTERRUPTED) from None


def status(
    home: HomeOption = DEFAULT_HOME,
    as_json: Annotated[bool, typer.Option("--json", help="for programs; with the database's password")] = False,
) -> None:
    """Say what runs, and where. The exit code is 3 when nothing does."""
    instance = Home(home).running() or STOPPED
    if as_json:
        sys.stdout.write(json.dumps(instance.model_dump(), indent=2) + "\n")
    elif instance.state == "stopped":
        say(f"No TARSy runs in {home}. `tarsy up` starts one.")
    elif instance.state == "ready":
        for line in instance.lines():
            say(line)
    else:
        say(f"TARSy is {instance.state} (process {instance.pid}).")
    if instance.state == "stopped":
        raise typer.Exit(NOTHING_RUNS)


def down(home: HomeOption = DEFAULT_HOME) -> None:
    """Stop the TARSy that runs; its data stays."""
    try:
        stopped = stop_and_wait(Home(home))
    except StopTooSlow as problem:
        raise fail(str(problem)) from None
    say("TARSy has stopped; its data stays." if stopped else f"No TARSy runs in {home}.")
