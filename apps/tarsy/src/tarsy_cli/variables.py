"""Variables of the environment that options of the command are read from."""

from collections.abc import Iterator

import typer

from tarsy_cli.command_group import TableGroup


def variables_of_command(context: typer.Context) -> frozenset[str]:
    """All commands count, whichever runs."""
    return frozenset(_list_variables(context.find_root().command))


def _list_variables(command: object) -> Iterator[str]:
    for parameter in getattr(command, "params", ()):
        variables = parameter.envvar
        yield from [variables] if isinstance(variables, str) else variables or ()
    if isinstance(command, TableGroup):
        for one in command.load_all().values():
            yield from _list_variables(one)
