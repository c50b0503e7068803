"""Groups of commands that are imported one by one, as the table of commands has them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from typing import Final, Protocol, assert_never

import typer
from typer import Context
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tarsy_cli.command_table import COMMANDS, SECTIONS, CommandEntry, CommandGroup, Entry
from tarsy_cli.verbosity import with_verbose

HELP_OPTIONS: Final = ["-h", "--help"]


class HelpFormatter(Protocol):
    """The part of Typer's formatter that a list of commands needs."""

    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class TableGroup(TyperGroup):
    """A group whose commands stand in a table. Those that it was made with are placeholders: names for a suggestion."""

    entries: Mapping[str, Entry] = {}
    otherwise = ""
    """The command that is meant where none is named."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:  # type: ignore[override]  # Typer makes no other
        named = bool(args) and args[0] in (*self.entries, *HELP_OPTIONS)
        return super().parse_args(ctx, args if named or not self.otherwise else [self.otherwise, *args])

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | TyperGroup | None:
        entry = self.entries.get(cmd_name)
        return None if entry is None else load(cmd_name, entry)

    def load_all(self) -> dict[str, TyperCommand | TyperGroup]:
        """Imports all of them."""
        return {name: load(name, entry) for name, entry in self.entries.items()}

    def format_commands(self, ctx: object, formatter: HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])


class RootGroup(TableGroup):
    """All commands."""

    entries = COMMANDS

    def format_commands(self, ctx: object, formatter: HelpFormatter) -> None:
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.summary) for name, entry in entries.items()])


def load(name: str, entry: Entry) -> TyperCommand | TyperGroup:
    match entry:
        case CommandEntry():
            function: Callable[..., None] = getattr(import_module(f"tarsy_cli.{entry.module}"), entry.function)
            command = _command_of(name, function)
            if any(param.name == "url" for param in command.params):
                command.params += _verbose_option().params
            return command
        case CommandGroup():
            placeholders = [TyperCommand(name=one, help=part.summary) for one, part in entry.commands.items()]
            group = TableGroup(
                name=name,
                help=entry.summary,
                commands=placeholders,
                no_args_is_help=not entry.otherwise,
                context_settings={"help_option_names": HELP_OPTIONS},
                rich_markup_mode=None,
            )
            group.entries, group.otherwise = entry.commands, entry.otherwise
            return group
        case _:
            assert_never(entry)


def _command_of(name: str, function: Callable[..., None]) -> TyperCommand:
    app = plain_typer()
    app.command(name, context_settings={"help_option_names": HELP_OPTIONS})(function)
    command = get_command(app)
    assert isinstance(command, TyperCommand), name
    return command


@cache
def _verbose_option() -> TyperCommand:
    """Each command that asks an API has this option, without a word of it in its function."""
    return _command_of("verbose", with_verbose)


def stand_in_for_command() -> None:
    """Never runs: a group loads the command of this name."""


def plain_typer(cls: type[TyperGroup] | None = None) -> typer.Typer:
    """Help and errors are plain text: Rich takes longer to import than all else of a help."""
    return typer.Typer(
        cls=cls,
        no_args_is_help=cls is not None,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=cls is not None,
        context_settings={"help_option_names": HELP_OPTIONS},
    )
