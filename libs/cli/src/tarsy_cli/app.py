"""The `tarsy` command."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tarsy_cli.demo import run_demo
from tarsy_cli.instance import AlreadyRunning, Home, Instance
from tarsy_cli.listing import print_sessions
from tarsy_cli.schemas import check_schemas, write_schemas
from tarsy_cli.stopping import StopTooSlow, stop_and_wait
from tarsy_cli.submitting import SubmitFailed, submit_file
from tarsy_cli.up import Ports, ready_lines, run_up
from tarsy_cli.watching import watch_session
from tarsy_config.mistakes import ConfigInvalid
from tarsy_embedded.errors import EmbeddedError

cli = typer.Typer(add_completion=False, no_args_is_help=True, help="TARSy investigates production alerts.")
console = Console(highlight=False, soft_wrap=True)

HomeOption = Annotated[Path, typer.Option("--home", help="the folder of data and logs", envvar="TARSY_HOME")]
UrlOption = Annotated[str, typer.Option("--url", help="the API of a TARSy elsewhere", envvar="TARSY_URL")]
DEFAULT_HOME = Path(".tarsy")


def main() -> None:
    cli()


def fail(message: str, *, code: int = 1) -> typer.Exit:
    Console(stderr=True, soft_wrap=True, highlight=False).print(message, style="red", markup=False)
    return typer.Exit(code)


@cli.command()
def up(
    home: HomeOption = DEFAULT_HOME,
    config: Annotated[Path, typer.Option(help="the folder of tarsy.yaml", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    http_port: Annotated[int, typer.Option(envvar="TARSY_HTTP_PORT")] = 8080,
    kafka_port: Annotated[int, typer.Option(envvar="TARSY_KAFKA_PORT")] = 29092,
    database_port: Annotated[int, typer.Option(envvar="TARSY_DATABASE_PORT")] = 25432,
) -> None:
    """Start Kafka, PostgreSQL and all services, and stay in the foreground."""
    place = Home(home)
    try:
        run_up(place, config_dir=config, ports=Ports(http_port, kafka_port, database_port), say=_say)
    except AlreadyRunning:
        running = place.running()
        who = f"process {running.pid}" if running else "another process"
        raise fail(
            f"A TARSy is already running in {home} ({who}): `tarsy status` shows it, `tarsy down` stops it."
        ) from None
    except (EmbeddedError, ConfigInvalid) as problem:
        raise fail(str(problem)) from None
    except BaseExceptionGroup as group:
        expected, rest = group.split((EmbeddedError, ConfigInvalid))
        if rest is not None or expected is None:
            raise
        raise fail(str(_first(expected))) from None


@cli.command()
def status(home: HomeOption = DEFAULT_HOME, as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Say what runs, and where."""
    instance = Home(home).running()
    if as_json:
        found = instance.model_dump() if instance else {"state": "stopped"}
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
    elif instance is None:
        console.print(f"No TARSy runs in {home}. `tarsy up` starts one.", markup=False)
    elif instance.state == "starting":
        console.print(f"TARSy is starting (process {instance.pid}).", markup=False)
    else:
        for line in ready_lines(instance):
            console.print(line, markup=False)
    if instance is None:
        raise typer.Exit(3)


@cli.command()
def down(home: HomeOption = DEFAULT_HOME) -> None:
    """Stop the TARSy that runs; its data stays."""
    try:
        stopped = stop_and_wait(Home(home))
    except StopTooSlow as problem:
        raise fail(str(problem)) from None
    console.print("TARSy has stopped." if stopped else f"No TARSy runs in {home}.", markup=False)


@cli.command()
def submit(
    file: Annotated[Path, typer.Argument(help="an Alertmanager webhook, a body of POST /api/v1/alerts, or any text")],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Send an alert, and print the sessions that investigate it."""
    try:
        for session_id in submit_file(_api(home, url), file.read_bytes()):
            console.print(session_id, markup=False)
    except (SubmitFailed, OSError) as problem:
        raise fail(str(problem)) from None


@cli.command()
def watch(session: str, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Show a session as it happens, from its beginning to its end."""
    status = asyncio.run(watch_session(_api(home, url), session, console))
    raise typer.Exit(0 if status == "completed" else 1)


@cli.command()
def sessions(home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """List the latest sessions."""
    print_sessions(_api(home, url), console)


@cli.command()
def demo(home: HomeOption = DEFAULT_HOME, incident: Path = Path("examples/incidents/crash-loop")) -> None:
    """Send the alert of an incident to the TARSy that runs here, or starts, and watch the investigation."""
    try:
        status = run_demo(Home(home), incident, console)
    except (SubmitFailed, OSError, TimeoutError) as problem:
        raise fail(str(problem)) from None
    raise typer.Exit(0 if status == "completed" else 1)


@cli.command()
def schemas(
    folder: Annotated[Path, typer.Option(help="where the schemas lie")] = Path("schemas"),
    check: Annotated[bool, typer.Option("--check", help="fail when they are not what the code says")] = False,
) -> None:
    """Write the JSON Schema of every message."""
    if not check:
        write_schemas(folder)
        return
    drift = check_schemas(folder)
    if drift:
        raise fail("The schemas are not what the code says; run `make schemas`:\n" + "\n".join(drift))


def _say(line: str) -> None:
    console.print(line, markup=False)


def _api(home: Path, url: str) -> str:
    if url:
        return url.rstrip("/")
    instance: Instance | None = Home(home).running()
    if instance is None or instance.state != "ready":
        raise fail(f"No TARSy is ready in {home}: start one with `tarsy up`, or name one with --url.")
    return instance.api


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
