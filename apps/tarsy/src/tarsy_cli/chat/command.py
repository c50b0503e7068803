"""`tarsy chat`."""

from typing import Annotated

import typer

from tarsy_cli.options import DEFAULT_HOME, HomeOption, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of


def chat(
    session: SessionArgument,
    question: Annotated[
        str | None, typer.Argument(help="if left out, questions come from the terminal, or line by line from the input")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="as JSON, for programs: one object a line, for each reply")
    ] = False,
) -> None:
    """Ask about an investigation that has ended, and show the reply as it is written. Ctrl+C cancels the reply."""
    from tarsy_cli.chat.terminal_chat import ask_all

    if not ask_all(api_of(home, url), session, question, as_json=as_json):
        raise typer.Exit(1)
