"""The commands about budgets: `tarsy budgets` lists them, `tarsy budget` extends one of a session or ends its wait."""

from typing import Annotated
from uuid import uuid4

import typer
from pydantic import JsonValue

from tarsy_cli.console.terminal import get_console, print_json, print_yaml, say
from tarsy_cli.errors import CommandError
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, OutputOption, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_of


class NothingWantedError(CommandError):
    """Neither an amount nor --conclude. The operator names one."""


BudgetOption = Annotated[
    str, typer.Option("--budget", help="the budget's id, as the timeline shows it; if left out, the one that waits")
]


def budgets(
    output: OutputOption = "table",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List the budgets that are configured, and what is spent of them today."""
    from tarsy_cli.lists.budgets import print_budgets, read_budgets

    api = api_of(home, url)
    with exit_on_failure(api):
        found = read_budgets(api)
        match "json" if as_json else output:
            case "json":
                print_json(found)
            case "yaml":
                print_yaml(found)
            case "table" | "wide":
                print_budgets(found, get_console())


def budget(
    session: SessionArgument,
    tokens: Annotated[int, typer.Option(min=0, help="extend it by this many tokens")] = 0,
    money: Annotated[float, typer.Option(min=0, help="extend it by this many US dollars")] = 0.0,
    seconds: Annotated[float, typer.Option(min=0, help="extend it by this many seconds")] = 0.0,
    calls: Annotated[int, typer.Option(min=0, help="extend it by this many model calls")] = 0,
    conclude: Annotated[bool, typer.Option("--conclude", help="do not extend it: the agents conclude")] = False,
    comment: Annotated[str, typer.Option(help="people read it")] = "",
    id: BudgetOption = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Extend a budget of a session, or let its agents conclude."""
    from tarsy_cli.api import post

    api = api_of(home, url)
    found = session_of(api, session)
    with exit_on_failure(api):
        if not (conclude or tokens or money or seconds or calls):
            raise NothingWantedError("Name an amount to extend the budget by (--tokens, --money ...), or --conclude.")
        body: JsonValue = {
            "decision": "conclude" if conclude else "extend",
            "budget_id": id,
            "tokens": tokens,
            "money": money,
            "seconds": seconds,
            "calls": calls,
            "comment": comment,
        }
        say(str(post(f"{api}/sessions/{found}/budget", body, idempotency_key=str(uuid4())).get("message", "")))
