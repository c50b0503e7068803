"""The terminal of the commands: lines, JSON, errors. Rich is imported when there is something to show."""

import sys
from functools import cache
from typing import TYPE_CHECKING

import typer

from tarsy_local.terminal_text import printable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tarsy_cli.console.command_console import CommandConsole


@cache
def get_console() -> "CommandConsole":
    from tarsy_cli.console.command_console import CommandConsole

    return CommandConsole(highlight=False, soft_wrap=not sys.stdout.isatty())


def say(line: str) -> None:
    get_console().print(printable(line), markup=False)


def print_error(message: str) -> None:
    _print_error(message, style="red")


def print_note(message: str) -> None:
    """For people, beside an output that a program may read."""
    _print_error(message, style="")


def _print_error(message: str, *, style: str) -> None:
    from rich.console import Console

    error = Console(stderr=True, soft_wrap=not sys.stderr.isatty(), highlight=False)
    error.print(printable(message), style=style, markup=False)


def fail(message: str, *, code: int = 1) -> typer.Exit:
    print_error(message)
    return typer.Exit(code)


def print_json(answer: "BaseModel") -> None:
    typer.echo(answer.model_dump_json(indent=2))


def print_yaml(answer: "BaseModel") -> None:
    import yaml

    typer.echo(yaml.safe_dump(answer.model_dump(mode="json"), sort_keys=False, allow_unicode=True), nl=False)
