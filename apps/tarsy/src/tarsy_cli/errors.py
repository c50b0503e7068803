"""The base of all exceptions of tarsy_cli."""


class CommandError(Exception):
    """A command cannot do what was asked. The message is for the person at the terminal."""
