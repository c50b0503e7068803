"""`tarsy --version`."""

from typing import Annotated

import typer


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"tarsy {version('tarsy-cli')}")
        raise typer.Exit


def with_version(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="print the version, and nothing else"),
    ] = False,
) -> None:
    """TARSy investigates production alerts."""
