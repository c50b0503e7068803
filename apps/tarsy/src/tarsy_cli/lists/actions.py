"""The switch that holds actions: asked, thrown, and told."""

from typing import Literal
from uuid import uuid4

from tarsy_cli.api import get, post
from tarsy_contracts.api.actions import ActionsState
from tarsy_local.terminal_text import one_line


def read_actions(api: str) -> ActionsState:
    """Raises ApiError or ValidationError."""
    return ActionsState.model_validate(get(f"{api}/system/actions"))


def switch_actions(api: str, verb: Literal["pause", "resume"], comment: str) -> ActionsState:
    """Raises ApiError or ValidationError."""
    answer = post(f"{api}/system/actions/{verb}", {"comment": comment}, idempotency_key=str(uuid4()))
    return ActionsState.model_validate(answer)


def describe_actions(state: ActionsState) -> str:
    """A line for people."""
    word = "Actions are paused" if state.paused else "Actions go on"
    since = f" since {state.at}, by {one_line(state.author)}" if state.author and state.at else ""
    return f"{word}{since}.{f' {one_line(state.comment)}' if state.comment else ''}"
