"""Pieces of a history: the fenced texts that its steps are made of. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tarsy_contracts.events import Outcome
from tarsy_session.prompts.material import HistoryStep, NativeUse, Statement, ToolUse
from tarsy_session.prompts.notes import note_call
from tarsy_session.text import MARK_ROOM, fence, render_time, shorten, to_one_line

NAME_LIMIT = 200
NATIVE_TOOL = "PROVIDER TOOL"

OUTCOMES: dict[Outcome, str] = {
    "ok": "ok",
    "tool_error": "the tool reported an error",
    "unavailable": "the server could not be reached",
    "rejected": "refused, it did not run",
    "cancelled": "cancelled",
    "unknown": "unknown, it may have run",
}
STILL_RUNNING = "This call is still running: it has no result yet."
WAITS_FOR_PERSON = "This call waits for a person to allow it: it has not run."


@dataclass(frozen=True, slots=True)
class HistoryPiece:
    """One fenced text of a history. `lead` is said before it, by us. `result`: the id by which it can be read again.

    `cited`: how the call is cited whose result it is; empty where it has no number.
    """

    lead: str
    name: str
    text: str
    result: str = ""
    cited: str = ""

    @property
    def overhead(self) -> int:
        """Characters it takes besides its text, at most."""
        return len(self.lead) + 2 * len(self.name) + MARK_ROOM + 20

    @property
    def size(self) -> int:
        return self.overhead + len(self.text)

    @property
    def is_result(self) -> bool:
        return self.name == "TOOL RESULT"

    @property
    def is_thought(self) -> bool:
        return self.name in ("THOUGHT", "WORDS")

    def render(self, limit: int) -> str:
        text = fence(self.name, shorten(self.text, limit))
        return f"{self.lead}\n\n{text}" if self.lead else text


def pieces_of(steps: Sequence[HistoryStep], analysis: str = "") -> list[list[HistoryPiece]]:
    """One list a step; none for a step without words."""
    found = filter(None, (_pieces_of_step(step, analysis) for step in steps))
    return [_number_step(number, pieces) for number, pieces in enumerate(found, 1)]


def _number_step(number: int, pieces: Sequence[HistoryPiece]) -> list[HistoryPiece]:
    return [replace(pieces[0], lead=f"Step {number}. {pieces[0].lead}".strip()), *pieces[1:]]


def _pieces_of_step(step: HistoryStep, analysis: str) -> list[HistoryPiece]:
    """A statement that only repeats the analysis is left out."""
    match step:
        case Statement():
            text = "" if step.text.strip() == analysis.strip() else step.text
            pieces = [HistoryPiece("", "THOUGHT", step.thinking), HistoryPiece("", "WORDS", text)]
            return [piece for piece in pieces if piece.text.strip()]
        case NativeUse():
            return [HistoryPiece("", NATIVE_TOOL, step.text)]
        case ToolUse():
            name = f"{to_one_line(step.server, NAME_LIMIT)}.{to_one_line(step.tool, NAME_LIMIT)}"
            call = f"{name} {json.dumps(dict(step.arguments), ensure_ascii=False)}"
            if step.outcome is None:
                return [HistoryPiece(WAITS_FOR_PERSON if step.waits_for_person else STILL_RUNNING, "TOOL CALL", call)]
            return [
                HistoryPiece("", "TOOL CALL", call),
                HistoryPiece(
                    _result_lead(step, step.outcome), "TOOL RESULT", step.content, step.result, note_call(step.number)
                ),
            ]


def _result_lead(step: ToolUse, outcome: Outcome) -> str:
    """The id of a result stands where there is more to read of it."""
    name = f"Result {step.result}" if step.note and step.result else "Result"
    if step.number:
        name = f"{name} of {note_call(step.number)}"
    return f"{name}: {OUTCOMES[outcome]}{_time_suffix(step.at)}. {to_one_line(step.note, NAME_LIMIT)}".strip()


def _time_suffix(time: datetime | None) -> str:
    return "" if time is None else f", at {render_time(time)}"
