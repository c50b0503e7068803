"""Limits of sub-agents: number, depth and tokens. Pure. Asked before each start, and before each question."""

from collections.abc import Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_session.executions.accounts import find_spent_budget
from tarsy_session.executions.children import ancestors_of, children_of
from tarsy_session.state import Execution, Investigating


def find_obstacle(state: Investigating, parent: Execution) -> str:
    """Returns why it may send no further sub-agent now, in words that it can act on; empty when it may."""
    limits, children = parent.agent.sub_agent_limits, children_of(state, parent)
    running = sum(one.open for one in children)
    if not may_send(state, parent):
        return "Sub-agents at this depth send no others: do the task yourself."
    if len(children) >= limits.max_started:
        return f"You have sent {len(children)} sub-agents, and may send no more: work with what they bring."
    if running >= limits.max_running:
        return (
            f"{running} of your sub-agents run, and more may not run at once. Cancel one, or answer without a call:"
            " then you are asked again when one has ended."
        )
    if any(_has_spent_all(state, one) for one in (parent, *ancestors_of(state, parent))):
        return "The tokens for sub-agents are used up: work with what you have."
    if find_spent_budget(state, parent):
        return "The budget is used up: work with what you have."
    return ""


def may_send(state: Investigating, execution: Execution, *, below: int = 0) -> bool:
    """Whether its sub-agents, or those `below` them, stay within the depth of the stage's own agent."""
    ancestors = ancestors_of(state, execution)
    own = ancestors[-1] if ancestors else execution
    return len(ancestors) + below < own.agent.sub_agent_limits.max_depth


def conclude_in_budget(state: Investigating, events: Sequence[e.Event]) -> Sequence[e.Event]:
    """The same events; sub-agents are asked to conclude where their tokens are used up."""
    return [_conclude(state, event) for event in events]


def _conclude(state: Investigating, event: e.Event) -> e.Event:
    if not isinstance(event, e.LlmCallRequested) or event.purpose == "conclusion":
        return event
    if not _is_over_tokens(state, state.executions[event.execution_id]):
        return event
    return event.model_copy(update={"purpose": "conclusion", "reason": e.TOKEN_BUDGET})


def _is_over_tokens(state: Investigating, execution: Execution) -> bool:
    """Whether it is a sub-agent, and those of one of its ancestors have used all their tokens."""
    return any(_has_spent_all(state, one) for one in ancestors_of(state, execution))


def _has_spent_all(state: Investigating, ancestor: Execution) -> bool:
    most = ancestor.agent.sub_agent_limits.max_tokens
    return bool(most) and sum(map(_spent, _descendants(state, ancestor))) >= most


def _descendants(state: Investigating, ancestor: Execution) -> Iterator[Execution]:
    for child in children_of(state, ancestor):
        yield child
        yield from _descendants(state, child)


def _spent(execution: Execution) -> int:
    usages = [turn.answer.usage for turn in execution.turns]
    return sum((usage.input_tokens or 0) + (usage.output_tokens or 0) for usage in usages)
