"""Output of the commands: a reader that goes away, as `head` does, ends a command without a word."""

from collections.abc import Iterator
from contextlib import contextmanager

from tarsy_cli.errors import CommandError


class OutputClosedError(CommandError):
    """Nobody reads the output any more. We end the command."""


@contextmanager
def ending_when_closed() -> Iterator[None]:
    try:
        yield
    except OutputClosedError:
        raise SystemExit(1) from None
