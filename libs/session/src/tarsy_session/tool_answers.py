"""Answers to calls that no worker has run. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.events.tool import Outcome


def answer_call(call_id: str, outcome: Outcome, text: str) -> e.ToolCallCompleted:
    size, lines = len(text.encode()), text.count("\n") + 1
    return e.ToolCallCompleted(call_id=call_id, outcome=outcome, content=text, size=size, lines=lines)
