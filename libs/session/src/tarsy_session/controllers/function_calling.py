"""The controller for models that call functions: calls come as structured parts of an answer. Pure."""

from collections.abc import Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.conversation import (
    AssistantMessage,
    ConversationMessage,
    ToolCall,
    ToolDefinition,
    ToolMessage,
)
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.controllers.protocol import (
    ATTEMPTS_BEFORE_FALLBACK,
    CallResult,
    Instructions,
    Interpretation,
)
from tarsy_session.controllers.text_calls import TextCalls, find_text_calls
from tarsy_session.prompts.notes import ANSWER_NOW, CONCLUDE, NUDGE, UNREAD_CALL, WRITE_LESS, note_too_many_calls

MOST_CALLS = 100
"""Limit of calls in one answer. The model asks for the others again when it has seen the results."""

CALLS_TOGETHER = """\
## Calls

Calls that do not need each other's results belong in one turn: they run at the same time. An answer without a call is
your final answer."""


class FunctionCalling:
    attempts_before_fallback = ATTEMPTS_BEFORE_FALLBACK
    asks_once = False

    def interpret(
        self, reported: i.LlmCallReported, tools: Sequence[e.OfferedTool], *, concluding: bool
    ) -> Interpretation:
        text, calls = reported.text, () if concluding else reported.tool_calls[:MOST_CALLS]
        if not calls and (written := find_text_calls(text, {tool.definition.name for tool in tools})) is not None:
            return _interpret_written_calls(reported, written, concluding=concluding)
        if calls and (count := len(reported.tool_calls) + reported.calls_left_out) > MOST_CALLS:
            return Interpretation(reported.text, calls, reminder=note_too_many_calls(count, MOST_CALLS), cut=True)
        blank = not calls and not reported.text.strip()
        reminder = ANSWER_NOW if concluding else NUDGE
        return Interpretation(reported.text, calls, reminder=reminder if blank else "")

    def offer_tools(self, tools: Sequence[e.OfferedTool]) -> tuple[ToolDefinition, ...]:
        return tuple(tool.definition for tool in tools)

    def describe_tools(self, tools: Sequence[e.OfferedTool]) -> str:
        return ""

    def render_turn(self, answer: e.LlmCallCompleted, results: Sequence[CallResult]) -> Iterator[ConversationMessage]:
        yield AssistantMessage(content=answer.text, tool_calls=answer.tool_calls, opaque=answer.opaque)
        for result in results:
            yield _to_tool_message(result, answer)

    def instruct(self, *, has_tools: bool) -> Instructions:
        return Instructions(calls=CALLS_TOGETHER if has_tools else "")

    def request_conclusion(self) -> str:
        return CONCLUDE


def _interpret_written_calls(reported: i.LlmCallReported, written: TextCalls, *, concluding: bool) -> Interpretation:
    """Calls in the text, of a server that does not read its model's calls. They are never the analysis."""
    if concluding:
        return Interpretation(written.before, reminder="" if written.before.strip() else ANSWER_NOW)
    if reported.cut or not written.calls:
        return Interpretation(reported.text, reminder=WRITE_LESS if reported.cut else UNREAD_CALL)
    calls = tuple(
        ToolCall(id=tool_call_id(reported.llm_call_id, index), name=call.name, arguments=dict(call.arguments))
        for index, call in enumerate(written.calls[:MOST_CALLS])
    )
    return Interpretation(written.before, calls)


def _to_tool_message(result: CallResult, answer: e.LlmCallCompleted) -> ToolMessage:
    id, completed = result.call.requested.call_id, result.call.completed
    return ToolMessage(
        tool_call_id=id,
        tool_name=next(asked.name for asked in answer.tool_calls if asked.id == id),
        content=result.content,
        is_error=completed is None or completed.outcome != "ok",
    )
