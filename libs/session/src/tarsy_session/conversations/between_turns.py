"""News that an agent reads between two turns: late outcomes, results of sub-agents, the end of its alert. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.conversation import UserMessage
from tarsy_session.executions.children import children_of
from tarsy_session.prompt_context.firing import alert_news_after
from tarsy_session.prompts.delegation import note_sub_agent_ended
from tarsy_session.prompts.notes import note_call, note_outcome_known, note_sources, render_tool_result
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.state.sources import select_cited
from tarsy_session.text import shorten_id

type LateOutcomes = Mapping[int, Sequence[ToolCallState]]
"""Calls of an execution by the turn after which it reads what they came to."""


def late_outcomes(state: Investigating, execution: Execution) -> LateOutcomes:
    found: dict[int, list[ToolCallState]] = defaultdict(list)
    for call in state.calls.values():
        if call.learned is not None and call.requested.execution_id == execution.id:
            found[call.learned.after_turn].append(call)
    return found


def messages_after(
    state: Investigating, execution: Execution, turn: int, late: LateOutcomes | None = None
) -> Iterator[UserMessage]:
    """Yields what stands in the conversation from then on, so that what was said before stays as it is.

    `late`: for who asks about many turns, as it takes a look at each call of the session.
    """
    for call in (late_outcomes(state, execution) if late is None else late).get(turn, ()):
        if call.learned is not None:
            yield UserMessage(content=_describe(call, call.learned.event))
    yield from _results_after(state, execution, turn)
    yield from alert_news_after(state, execution, turn)


def _results_after(state: Investigating, execution: Execution, turn: int) -> Iterator[UserMessage]:
    for child in children_of(state, execution):
        if child.completed is not None and child.read_after == turn:
            most = execution.shortened.result_characters
            ended = note_sub_agent_ended(child.id, child.completed, most)
            cited = select_cited(state, child.completed.final_analysis)
            yield UserMessage(content=f"{ended}\n\n{note_sources(cited)}" if cited else ended)


def _describe(call: ToolCallState, event: e.ToolCallOutcomeLearned) -> str:
    note = note_outcome_known(call.requested.tool, shorten_id(event.call_id), event.outcome, cut=event.cut)
    parts = (note_call(call.requested.number), note, render_tool_result(event.content))
    return "\n\n".join(part for part in parts if part)
