"""The clock of a session stands while it waits for a person: for a decision about a call, or about a budget. Pure."""

from dataclasses import replace
from datetime import datetime

from tarsy_session.state import Investigating
from tarsy_session.state_queries import calls_waiting_for_person


def begin_wait(state: Investigating, at: datetime) -> Investigating:
    return replace(state, life=replace(state.life, waiting_since=state.life.waiting_since or at))


def end_wait(state: Investigating, at: datetime) -> Investigating:
    """The clock goes on once nothing waits any more."""
    since = state.life.waiting_since
    if since is None or state.budgets.wait_for_people or any(calls_waiting_for_person(state)):
        return state
    return replace(state, life=replace(state.life, waiting_since=None, waited=state.life.waited + (at - since)))
