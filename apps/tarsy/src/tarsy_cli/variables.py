"""Variables of the environment that options of the command are read from."""

from collections.abc import Iterator

import typer


def variables_of_command(context: typer.Context) -> frozenset[str]:
    """All commands count, whichever runs."""
    return frozenset(_variables(context.find_root().command))


def _variables(command: object) -> Iterator[str]:
    for parameter in getattr(command, "params", ()):
        told = parameter.envvar
        yield from [told] if isinstance(told, str) else told or ()
    for one in getattr(command, "commands", {}).values():
        yield from _variables(one)
