"""The part of a tool's result that an agent reads, and the note on it. Pure."""

from collections.abc import Mapping

from tarsy_contracts import events as e
from tarsy_session.prompts.notes import ReadOn, note_cut, note_same_summary, note_summary
from tarsy_session.state import ToolCallState
from tarsy_session.text import shorten_id


def content_of(calls: Mapping[str, ToolCallState], call: ToolCallState, read_result_name: str = "") -> tuple[str, str]:
    """Returns the part of a result that the agent reads, and the note on it: the summary where there is one.

    `calls`: all of the session. `read_result_name`: the tool with which it can read on, if it has one.
    """
    completed = call.completed
    if completed is None:
        return "", ""
    read_on = ReadOn(read_result_name, shorten_id(call.requested.call_id)) if read_result_name else None
    summary = call.summary.ended if call.summary is not None else None
    if isinstance(summary, e.SummaryCompleted) and summary.reused_from:
        earlier = calls.get(summary.reused_from)
        number = 0 if earlier is None else earlier.requested.number
        return summary.content, note_same_summary(completed.lines, completed.size, number, read_on)
    if isinstance(summary, e.SummaryCompleted):
        return summary.content, note_summary(completed.lines, completed.size, read_on)
    if not completed.cut:
        return completed.content, ""
    return completed.content, note_cut(completed.lines, completed.size, completed.content, read_on)
