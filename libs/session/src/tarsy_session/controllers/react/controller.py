"""The ReAct controller: the model writes one action as text, and reads its result as an observation. Pure."""

from collections.abc import Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.conversation import AssistantMessage, ConversationMessage, ToolCall, ToolDefinition, UserMessage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.controllers.protocol import (
    ATTEMPTS_BEFORE_FALLBACK,
    CallResult,
    Instructions,
    Interpretation,
)
from tarsy_session.controllers.react.instructions import (
    CONCLUDE,
    compose_format,
    describe_tools,
    render_observation,
)
from tarsy_session.controllers.react.parsing import extract_conclusion, parse_answer
from tarsy_session.prompts.notes import ANSWER_NOW, WRITE_LESS


class ReAct:
    attempts_before_fallback = ATTEMPTS_BEFORE_FALLBACK
    asks_once = False

    def interpret(
        self, reported: i.LlmCallReported, tools: Sequence[e.OfferedTool], *, concluding: bool
    ) -> Interpretation:
        if concluding:
            conclusion = extract_conclusion(reported.text)
            return Interpretation(reported.text, final_answer=conclusion, reminder="" if conclusion else ANSWER_NOW)
        parsed = parse_answer(reported.text, tools)
        if reported.cut and not parsed.final_answer:
            return Interpretation(reported.text, reminder=WRITE_LESS)
        if parsed.call is None:
            return Interpretation(parsed.text, final_answer=parsed.final_answer, reminder=parsed.reminder)
        id = tool_call_id(reported.llm_call_id, 0)
        call = ToolCall(id=id, name=parsed.call.name, arguments=dict(parsed.call.arguments))
        return Interpretation(parsed.text, (call,))

    def offer_tools(self, tools: Sequence[e.OfferedTool]) -> tuple[ToolDefinition, ...]:
        """None go to the provider: the agent reads of them in its instructions."""
        return ()

    def describe_tools(self, tools: Sequence[e.OfferedTool]) -> str:
        return describe_tools(tools)

    def render_turn(self, answer: e.LlmCallCompleted, results: Sequence[CallResult]) -> Iterator[ConversationMessage]:
        yield AssistantMessage(content=answer.text, opaque=answer.opaque)
        for result in results:
            yield UserMessage(content=render_observation(result.content))

    def instruct(self, *, has_tools: bool) -> Instructions:
        return Instructions(answers=compose_format(has_tools=has_tools))

    def request_conclusion(self) -> str:
        return CONCLUDE
