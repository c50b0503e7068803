"""The controller for agents that are asked once, without tools. Pure."""

from collections.abc import Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.conversation import AssistantMessage, ConversationMessage, ToolDefinition
from tarsy_contracts.messages import inputs as i
from tarsy_session.controllers.protocol import CallResult, Instructions, Interpretation
from tarsy_session.prompts.notes import CONCLUDE, NUDGE


class SingleShot:
    attempts_before_fallback = 1
    asks_once = True

    def interpret(
        self, reported: i.LlmCallReported, tools: Sequence[e.OfferedTool], *, concluding: bool
    ) -> Interpretation:
        """Some models put all they have to say into their thoughts."""
        text = reported.text.strip() or reported.thinking.strip()
        return Interpretation(
            reported.text, final_answer=text if not reported.text.strip() else "", reminder="" if text else NUDGE
        )

    def offer_tools(self, tools: Sequence[e.OfferedTool]) -> tuple[ToolDefinition, ...]:
        return ()

    def describe_tools(self, tools: Sequence[e.OfferedTool]) -> str:
        return ""

    def render_turn(self, answer: e.LlmCallCompleted, results: Sequence[CallResult]) -> Iterator[ConversationMessage]:
        yield AssistantMessage(content=answer.text, opaque=answer.opaque)

    def instruct(self, *, has_tools: bool) -> Instructions:
        return Instructions()

    def request_conclusion(self) -> str:
        return CONCLUDE
