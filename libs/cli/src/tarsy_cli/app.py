"""The `tarsy` command."""

from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.instance_commands import down, status, up
from tarsy_cli.schemas import check_schemas, write_schemas
from tarsy_cli.session_commands import demo, sessions, submit, watch
from tarsy_cli.terminal import fail

cli = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="TARSy investigates production alerts.",
)


def main() -> None:
    cli(prog_name="tarsy")


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


for command in (up, status, down, demo, submit, watch, sessions, schemas):
    cli.command()(command)
