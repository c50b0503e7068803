"""News that an agent reads between two turns: outcomes that became known late, and the end of its alert. Pure."""

from collections.abc import Iterator

from tarsy_contracts.conversation import UserMessage
from tarsy_session.prompt_firing import alert_news_after
from tarsy_session.prompts.notes import note_outcome_known, render_tool_result
from tarsy_session.read_result_tool import shorten_id
from tarsy_session.state import Execution, Investigating


def messages_after(state: Investigating, execution: Execution, turn: int) -> Iterator[UserMessage]:
    """Yields what stands in the conversation from then on, so that what was said before stays as it is."""
    yield from _learned_after(state, execution, turn)
    yield from alert_news_after(state, execution, turn)


def _learned_after(state: Investigating, execution: Execution, turn: int) -> Iterator[UserMessage]:
    for call in state.calls.values():
        if call.learned is None or call.learned.after_turn != turn or call.requested.execution_id != execution.id:
            continue
        event = call.learned.event
        note = note_outcome_known(call.requested.tool, shorten_id(event.call_id), event.outcome, cut=event.cut)
        yield UserMessage(content=f"{note}\n\n{render_tool_result(event.content)}")
