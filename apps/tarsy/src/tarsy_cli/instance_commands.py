"""The commands about the TARSy of a folder: up, status, down."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, print_json, say
from tarsy_cli.options import DEFAULT_HOME, INTERRUPTED, USAGE, HomeOption
from tarsy_cli.printed_commands import with_home
from tarsy_local.instance_counts import InstanceCounts, InvalidInstanceCountsError, parse_instance_counts

NOTHING_RUNS = 3
NOT_READY = 4
VARIABLES_OF = {
    "kafka": ("TARSY_KAFKA", "TARSY_KAFKA_SECURITY_PROTOCOL"),
    "database": ("TARSY_DATABASE", "TARSY_DATABASE_FILE"),
}
"""Variables that count for servers of others only, by the option that names one."""


def up(
    home: HomeOption = DEFAULT_HOME,
    config: Annotated[Path, typer.Option(help="the folder of tarsy.yaml", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    http_host: Annotated[
        str, typer.Option(help="the address to listen on; 0.0.0.0 or :: means all", envvar="TARSY_HTTP_HOST")
    ] = "127.0.0.1",
    http_port: Annotated[
        int, typer.Option(help="the port of the API, the WebSocket and the metrics", envvar="TARSY_HTTP_PORT")
    ] = 8080,
    base_path: Annotated[
        str, typer.Option(help="the path below which it serves everything, such as /tarsy", envvar="TARSY_BASE_PATH")
    ] = "",
    kafka_port: Annotated[int, typer.Option(help="of its own Kafka", envvar="TARSY_KAFKA_PORT")] = 29092,
    database_port: Annotated[int, typer.Option(help="of its own PostgreSQL", envvar="TARSY_DATABASE_PORT")] = 25432,
    kafka: Annotated[
        str, typer.Option(help="a Kafka of yours, HOST:PORT[,HOST:PORT]; else it brings its own", show_default=False)
    ] = "",
    database: Annotated[
        str, typer.Option(help="a PostgreSQL of yours, postgresql://…; else it brings its own", show_default=False)
    ] = "",
    topic_prefix: Annotated[str, typer.Option(envvar="TARSY_TOPIC_PREFIX", help="the prefix of topic names")] = "tarsy",
    replication: Annotated[
        int | None, typer.Option(min=1, help="copies of each partition; else 3, or one a broker where there are less")
    ] = None,
    processes: Annotated[
        bool, typer.Option("--processes", help="each service in a process of its own, ingest in two")
    ] = False,
    instances: Annotated[
        list[str] | None,
        typer.Option(help="how many processes of a service, such as tool-gateway=3; can be given several times"),
    ] = None,
) -> None:
    """Start all services in the foreground, with their own Kafka and PostgreSQL unless others are named."""
    counts = _parse_instances(instances or []) if processes else None
    if instances and not processes:
        raise fail("--instances is for --processes: without it, all services run in one process.", code=USAGE)
    # Here, because it takes long to import: the other commands answer at once.
    from tarsy_local.instance import Home, HomeInUseError
    from tarsy_local.up import NamedServers, Ports, UpFailedError, UpOptions, run_up

    for line in explain_unused_variables(os.environ, {"kafka": kafka, "database": database}):
        say(line)
    folder = Home(home)
    options = UpOptions(
        config_dir=config,
        http_host=http_host,
        base_path=base_path,
        ports=Ports(http_port, kafka_port, database_port),
        named=NamedServers(kafka, database),
        topic_prefix=topic_prefix,
        replication=replication,
        instances=counts,
    )
    try:
        run_up(folder, options, lambda line: say(with_home(line, home)))
    except HomeInUseError:
        running = folder.find_running()
        who = f"process {running.pid}" if running else "another process"
        text = f"A TARSy is already running in {home} ({who}): `tarsy status` shows it, `tarsy down` stops it."
        raise fail(with_home(text, home)) from None
    except UpFailedError as problem:
        raise fail(str(problem)) from None
    except KeyboardInterrupt:
        raise fail("Stopped before it was ready.", code=INTERRUPTED) from None


def explain_unused_variables(environment: Mapping[str, str], options: Mapping[str, str]) -> list[str]:
    """A variable that was set for something else must not lead `tarsy up` into somebody's cluster, nor be forgotten.

    `options`: the value of each, empty where it was left out.
    """
    return [
        f"{variable} is set, but `tarsy up` brings its own unless --{name} names another"
        for name, value in options.items()
        for variable in VARIABLES_OF[name]
        if environment.get(variable) and not value
    ]


def _parse_instances(given: list[str]) -> InstanceCounts:
    try:
        return parse_instance_counts(given)
    except InvalidInstanceCountsError as problem:
        raise fail(str(problem), code=USAGE) from None


def status(
    home: HomeOption = DEFAULT_HOME,
    as_json: Annotated[
        bool, typer.Option("--json", help="as JSON, for programs; it contains the database's password")
    ] = False,
) -> None:
    """Show what runs, where, and whether it is ready. The exit code is 3 when nothing runs, and 4 when it is not ready.

    Each process has 5 seconds to answer `/ready`. A degraded TARSy does most of its work: the exit code is 0.
    """
    import asyncio

    from tarsy_local.instance import STOPPED, Home
    from tarsy_local.status import ask_status

    status = asyncio.run(ask_status(Home(home).find_running() or STOPPED))
    if as_json:
        print_json(status)
    elif status.state == "stopped":
        say(with_home(f"No TARSy runs in {home}. `tarsy up` starts one.", home))
    else:
        for line in status.lines():
            say(with_home(line, home))
    if status.state == "stopped":
        raise typer.Exit(NOTHING_RUNS)
    if status.readiness == "not_ready":
        raise typer.Exit(NOT_READY)


def down(home: HomeOption = DEFAULT_HOME) -> None:
    """Stop the TARSy that runs; its data stays."""
    from tarsy_local.instance import Home
    from tarsy_local.shutdown import StopTooSlowError, stop_and_wait

    try:
        stopped = stop_and_wait(Home(home))
    except StopTooSlowError as problem:
        raise fail(str(problem)) from None
    say("TARSy has stopped; its data stays." if stopped else f"No TARSy runs in {home}.")
