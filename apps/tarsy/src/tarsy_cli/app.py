"""The `tarsy` command."""

import os
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
    _trust_configured_authorities()
    with ending_when_closed():
        cli(prog_name="tarsy")


def _trust_configured_authorities() -> None:
    """Before anything asks somebody, and for what `tarsy up` starts. Ends with 2 where they cannot be read."""
    if not os.environ.get("TARSY_CA_FILE"):
        return
    from tarsy_egress.authorities import trust_authorities
    from tarsy_egress.errors import AuthoritiesError

    try:
        trust_authorities(os.environ["TARSY_CA_FILE"])
    except AuthoritiesError as problem:
        sys.stderr.write(f"TARSY_CA_FILE: {problem}\n")
        sys.exit(2)
