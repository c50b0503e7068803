"""The `tarsy` command."""

import sys

from tarsy_cli.command_group import RootGroup, plain_typer, stand_in_for_command
from tarsy_cli.command_table import COMMANDS
from tarsy_cli.console.output import ending_when_closed
from tarsy_cli.console.plain_terminal import use_plain_characters
from tarsy_cli.version import with_version

cli = plain_typer(RootGroup)
cli.callback()(with_version)
for name, entry in COMMANDS.items():
    cli.command(name, help=entry.summary)(stand_in_for_command)


def main() -> None:
    use_plain_characters(sys.stdout, sys.stderr)
    with ending_when_closed():
        cli(prog_name="tarsy")
