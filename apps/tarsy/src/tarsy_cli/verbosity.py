"""`--verbose`: errors also tell the address that was asked, and what came from there."""

from contextvars import ContextVar
from typing import Annotated

import typer

_IS_VERBOSE: ContextVar[bool] = ContextVar("is_verbose", default=False)


def details(text: str) -> str:
    """The end of an error, in brackets, with --verbose; nothing without it."""
    return f" ({text})" if _IS_VERBOSE.get() else ""


def begin(verbose: bool) -> None:
    """An option before a command's name holds for it. One process may run several commands, as tests do."""
    _IS_VERBOSE.set(verbose)


def _switch_on(verbose: bool) -> None:
    if verbose:
        _IS_VERBOSE.set(True)


def with_verbose(
    _: Annotated[
        bool,
        typer.Option(
            "--verbose",
            callback=_switch_on,
            expose_value=False,
            is_eager=True,
            help="errors also tell the address that was asked",
        ),
    ] = False,
) -> None:
    """Never runs: commands with --url take its option."""
