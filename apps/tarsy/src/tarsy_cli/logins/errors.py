"""Errors of a login. Each message is a whole sentence without its full stop."""

from tarsy_cli.errors import CommandError


class ServerLoginError(CommandError):
    """There is no login. The operator does what the message says, or tries again."""
