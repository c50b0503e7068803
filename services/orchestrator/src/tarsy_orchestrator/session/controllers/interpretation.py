"""How an answer of a model is read, by the way in which its agent is led. Pure."""

from dataclasses import dataclass
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.identities import tool_call_id
from tarsy_orchestrator.session.controllers.react.parsing import conclusion, read
from tarsy_orchestrator.session.prompts.notes import NUDGE, too_many_calls
from tarsy_orchestrator.session.state import Execution, Turn

MOST_CALLS = 100
"""Of one answer. The model asks for the others again, when it has seen the results."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What is recorded of an answer (fields of `llm_call.completed`). `cut`: not all of its calls."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    final_answer: str = ""
    reminder: str = ""
    cut: bool = False


def understood(execution: Execution, requested: e.LlmCallRequested, reported: i.LlmCallReported) -> Interpretation:
    """Past the last iteration no tool is called any longer, and whatever the agent says is its conclusion."""
    concluding = requested.purpose == "conclusion"
    match execution.agent.controller:
        case "function_calling":
            return _called(reported, concluding=concluding)
        case "react":
            return _concluded(reported) if concluding else _reacted(execution, reported)
        case "single_shot":
            return _said_once(reported)
    assert_never(execution.agent.controller)


def final_answer(turn: Turn) -> str:
    """What ends the execution; empty when the turn does not."""
    answer = turn.answer
    if turn.calls or answer.tool_calls or answer.reminder:
        return ""
    return answer.final_answer or answer.text.strip()


def _called(reported: i.LlmCallReported, *, concluding: bool) -> Interpretation:
    calls = () if concluding else reported.tool_calls[:MOST_CALLS]
    if calls and (count := len(reported.tool_calls) + reported.calls_left_out) > MOST_CALLS:
        return Interpretation(reported.text, calls, reminder=too_many_calls(count, MOST_CALLS), cut=True)
    blank = not calls and not reported.text.strip()
    return Interpretation(reported.text, calls, reminder=NUDGE if blank else "")


def _said_once(reported: i.LlmCallReported) -> Interpretation:
    """Some models put all they have to say into their thoughts."""
    said = reported.text.strip() or reported.thinking.strip()
    return Interpretation(
        reported.text, final_answer=said if not reported.text.strip() else "", reminder="" if said else NUDGE
    )


def _concluded(reported: i.LlmCallReported) -> Interpretation:
    said = conclusion(reported.text)
    return Interpretation(reported.text, final_answer=said, reminder="" if said else NUDGE)


def _reacted(execution: Execution, reported: i.LlmCallReported) -> Interpretation:
    reading = read(reported.text, execution.tools)
    if reading.call is None:
        return Interpretation(reading.text, final_answer=reading.final_answer, reminder=reading.reminder)
    id = tool_call_id(reported.llm_call_id, 0)
    call = ToolCall(id=id, name=reading.call.name, arguments=dict(reading.call.arguments))
    return Interpretation(reading.text, (call,))
