"""The console of the commands, whose reader may go away."""

from rich.console import Console

from tarsy_cli.console.output import OutputClosedError


class CommandConsole(Console):
    """Rich would raise SystemExit, which an event loop does not survive in order."""

    def on_broken_pipe(self) -> None:
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise OutputClosedError from None
