"""Time budget: agents lose their tools a while before the time of an investigation or a reply is up. Pure.

So they conclude with what they have, instead of being broken off. The log has it: their question has the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_session.controllers import controller_of
from tarsy_session.downtime import Downtime
from tarsy_session.state import Execution, Investigating

LARGEST_SHARE = 0.25
"""The part of the whole time that conclusions get at most."""
NEARLY_UP = "the time was nearly up, and no tool could be called any more"
CONCLUDED_EARLY = f"time_budget: {NEARLY_UP}"


@dataclass(frozen=True, slots=True)
class ToolTime:
    """The time in which agents may call tools."""

    since: datetime
    end: datetime


def find_tool_time(state: Investigating) -> ToolTime | None:
    """None where nothing is kept for conclusions, or while the session's time stands still."""
    life, seconds = state.life, state.life.seconds
    kept = min(state.started.chain.limits.conclusion_seconds, seconds * LARGEST_SHARE)
    if not kept or life.began_at is None or life.waiting_since is not None or state.cancelled is not None:
        return None
    return ToolTime(life.began_at, life.began_at + timedelta(seconds=seconds - kept) + life.waited)


def agents_with_tools(state: Investigating) -> list[Execution]:
    """The open executions that may still call tools."""
    return [one for one in state.executions.values() if one.open and _has_tools(one) and not _concludes(one)]


def conclude_in_time(
    state: Investigating, events: Sequence[e.Event], at: datetime, downtime: Downtime
) -> Sequence[e.Event]:
    """The same events; agents are asked to conclude where their time for tools is over."""
    time = find_tool_time(state)
    if time is None or not downtime.has_passed(time.since, time.end, at):
        return events
    return [_conclude(state, event) for event in events]


def _conclude(state: Investigating, event: e.Event) -> e.Event:
    if not isinstance(event, e.LlmCallRequested) or event.purpose == "conclusion":
        return event
    if not _has_tools(state.executions[event.execution_id]):
        return event
    return event.model_copy(update={"purpose": "conclusion", "reason": e.TIME_BUDGET})


def _has_tools(execution: Execution) -> bool:
    return bool(execution.tools) and not controller_of(execution.agent.controller).asks_once


def _concludes(execution: Execution) -> bool:
    requested = execution.waiting_for.requested if execution.waiting_for is not None else None
    last = requested or (execution.turns[-1].requested if execution.turns else None)
    return last is not None and last.purpose == "conclusion"
