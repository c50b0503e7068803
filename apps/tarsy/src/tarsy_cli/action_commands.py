"""The commands about the switch that holds actions: `tarsy actions`, `tarsy actions pause`, `tarsy actions resume`."""

from typing import Annotated, Literal

import typer

from tarsy_cli.console.terminal import print_json, say
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure

CommentOption = Annotated[str, typer.Option(help="agents and people see it where a call is held")]


def show(as_json: JsonOption = False, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Show whether actions are paused, and who paused them."""
    from tarsy_cli.lists.actions import describe_actions, read_actions

    api = api_of(home, url)
    with exit_on_failure(api):
        found = read_actions(api)
        if as_json:
            print_json(found)
        else:
            say(describe_actions(found))


def pause(comment: CommentOption = "", home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Pause all actions: no further call that changes something begins."""
    _switch("pause", comment, api_of(home, url))


def resume(comment: CommentOption = "", home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Resume actions."""
    _switch("resume", comment, api_of(home, url))


def _switch(verb: Literal["pause", "resume"], comment: str, api: str) -> None:
    from tarsy_cli.lists.actions import describe_actions, switch_actions

    with exit_on_failure(api):
        say(describe_actions(switch_actions(api, verb, comment)))
