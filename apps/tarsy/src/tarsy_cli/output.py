"""Output of the commands: a reader that goes away, as `head` does, ends a command without a word."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from tarsy_cli.errors import CommandError


class OutputClosedError(CommandError):
    """Nobody reads the output any more. We end the command."""


class CommandConsole(Console):
    """Rich would raise SystemExit, which an event loop does not survive in order."""

    def on_broken_pipe(self) -> None:
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise OutputClosedError from None


@contextmanager
def ending_when_closed() -> Iterator[None]:
    try:
        yield
    except OutputClosedError:
        raise SystemExit(1) from None
