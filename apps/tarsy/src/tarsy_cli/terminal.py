"""The terminal of the commands: lines, JSON, errors and exit codes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tarsy_cli.output import CommandConsole
from tarsy_local.extra import MissingExtraError, extra_needed
from tarsy_local.terminal_text import printable

if TYPE_CHECKING:
    from pydantic import BaseModel

USAGE = 2
WOULD_CHANGE = 1
MISFITS = 2
NOT_ASKED = 3
"""Exit codes of a --dry-run."""
INTERRUPTED = 130
DEFAULT_HOME = Path(".tarsy")

console = CommandConsole(highlight=False, soft_wrap=not sys.stdout.isatty())

HomeOption = Annotated[Path, typer.Option("--home", help="the folder of data and logs", envvar="TARSY_HOME")]
JsonOption = Annotated[bool, typer.Option("--json", help="for programs")]


def say(line: str) -> None:
    console.print(printable(line), markup=False)


def tell_error(message: str) -> None:
    error = Console(stderr=True, soft_wrap=not sys.stderr.isatty(), highlight=False)
    error.print(printable(message), style="red", markup=False)


def fail(message: str, *, code: int = 1) -> typer.Exit:
    tell_error(message)
    return typer.Exit(code)


@contextmanager
def extra_of(command: str) -> Iterator[None]:
    """For imports in the body. Ends the command with a sentence when their packages are not installed."""
    try:
        with extra_needed(command):
            yield
    except MissingExtraError as problem:
        raise fail(str(problem)) from None


def print_json(answer: "BaseModel") -> None:
    typer.echo(answer.model_dump_json(indent=2))
