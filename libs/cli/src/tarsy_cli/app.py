"""The `tarsy` command."""

from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.instance_commands import down, status, up
from tarsy_cli.schemas import check_schemas, write_schemas
from tarsy_cli.session_commands import demo, sessions, submit, watch
from tarsy_cli.terminal import fail
from tarsy_cli.topic_commands import topics

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
    settings: Annotated[Path, typer.Option(help="the page of settings")] = Path("docs/reference/settings.md"),
    check: Annotated[bool, typer.Option("--check", help="fail when they are not what the code says")] = False,
) -> None:
    """Write the JSON Schema of every message, and the page of all settings."""
    # Here, as it imports every service: other commands would take two seconds longer.
    from tarsy_cli.settings_table import settings_page

    page = settings_page()
    if not check:
        write_schemas(folder)
        settings.write_text(page, encoding="utf-8")
        return
    drift = check_schemas(folder)
    if not settings.is_file() or settings.read_text("utf-8") != page:
        drift.append(f"{settings}: changed")
    if drift:
        raise fail("What is generated is not what the code says; run `make schemas`:\n" + "\n".join(drift))


cli.add_typer(topics, name="topics")
for command in (up, status, down, demo, submit, watch, sessions, schemas):
    cli.command()(command)
