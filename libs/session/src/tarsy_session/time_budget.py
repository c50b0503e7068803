"""Time budget: agents lose their tools a while before the time of an investigation or a reply is up. Pure.

So they conclude with what they have, instead of being broken off. The log has it: their question has the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_session.controllers import controller_of
from tarsy_session.downtime import Downtime
from tarsy_session.executions.children import children_of, waits_for_children
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


@dataclass(frozen=True, slots=True)
class ChildTime:
    """The time of a sub-agent: it may call tools until `tools_end`, and then has until `end` to conclude."""

    since: datetime
    tools_end: datetime
    end: datetime


def find_child_time(state: Investigating, child: Execution) -> ChildTime | None:
    """None while the session's time stands still.

    It ends with the time in which its parent may call tools, so that the parent can conclude with what it brings.
    """
    parent, life = state.executions.get(child.parent_id), state.life
    if parent is None or life.began_at is None or life.waiting_since is not None or state.cancelled is not None:
        return None
    limits, waited = parent.agent.sub_agent_limits, life.waited - child.waited_before
    ends = [_tools_end(state, parent)]
    if limits.seconds:
        ends.append(child.began_at + timedelta(seconds=limits.seconds) + waited)
    if limits.total_seconds:
        first = children_of(state, parent)[0]
        total = timedelta(seconds=limits.total_seconds)
        ends.append(first.began_at + total + life.waited - first.waited_before)
    end = max(min(ends), child.began_at)
    share = (end - child.began_at - waited) * LARGEST_SHARE
    kept = min(timedelta(seconds=state.started.chain.limits.conclusion_seconds), max(share, timedelta()))
    return ChildTime(child.began_at, end - kept, end)


def _tools_end(state: Investigating, parent: Execution) -> datetime:
    """When the agent loses its tools, or its time ends where none of it is kept."""
    if (time := find_child_time(state, parent)) is not None:
        return time.tools_end
    if (tools := find_tool_time(state)) is not None:
        return tools.end
    began_at = state.life.began_at or parent.began_at
    return began_at + timedelta(seconds=state.life.seconds) + state.life.waited


def find_tool_time(state: Investigating) -> ToolTime | None:
    """That of a stage's own agents. None where nothing is kept for conclusions, or while the session's time stands."""
    life, seconds = state.life, state.life.seconds
    kept = min(state.started.chain.limits.conclusion_seconds, seconds * LARGEST_SHARE)
    if not kept or life.began_at is None or life.waiting_since is not None or state.cancelled is not None:
        return None
    return ToolTime(life.began_at, life.began_at + timedelta(seconds=seconds - kept) + life.waited)


def agents_with_tools(state: Investigating) -> list[Execution]:
    """The open executions of a stage's own agents that may still call tools, and wait for no sub-agent."""
    return [one for one in state.executions.values() if not one.parent_id and may_call_tools(state, one)]


def may_call_tools(state: Investigating, execution: Execution) -> bool:
    """Whether there is something to end when the time for tools is over."""
    if not execution.open or not _has_tools(execution) or _concludes(execution):
        return False
    return not waits_for_children(state, execution)


def conclude_in_time(
    state: Investigating, events: Sequence[e.Event], at: datetime, downtime: Downtime
) -> Sequence[e.Event]:
    """The same events; agents are asked to conclude where their time for tools is over."""
    return [_conclude(state, event, at, downtime) for event in events]


def _conclude(state: Investigating, event: e.Event, at: datetime, downtime: Downtime) -> e.Event:
    if not isinstance(event, e.LlmCallRequested) or event.purpose == "conclusion":
        return event
    execution = state.executions[event.execution_id]
    time = _tool_time_of(state, execution) if _has_tools(execution) else None
    if time is None or not downtime.has_passed(time.since, time.end, at):
        return event
    return event.model_copy(update={"purpose": "conclusion", "reason": e.TIME_BUDGET})


def _tool_time_of(state: Investigating, execution: Execution) -> ToolTime | None:
    if not execution.parent_id:
        return find_tool_time(state)
    time = find_child_time(state, execution)
    return None if time is None else ToolTime(time.since, time.tools_end)


def _has_tools(execution: Execution) -> bool:
    return bool(execution.tools) and not controller_of(execution.agent.controller).asks_once


def _concludes(execution: Execution) -> bool:
    requested = execution.waiting_for.requested if execution.waiting_for is not None else None
    last = requested or (execution.turns[-1].requested if execution.turns else None)
    return last is not None and last.purpose == "conclusion"
