"""Options before the name of a command."""

from typing import Annotated

import typer

from tarsy_cli import verbosity


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
    _verbose: Annotated[
        bool, typer.Option("--verbose", callback=verbosity.begin, help="errors also tell the address that was asked")
    ] = False,
) -> None:
    """TARSy investigates production alerts."""
