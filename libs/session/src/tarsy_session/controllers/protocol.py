"""The interface of a controller: how an agent is led, and what is recorded of its answers. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tarsy_contracts import events as e
from tarsy_contracts.conversation import ConversationMessage, ToolCall, ToolDefinition
from tarsy_contracts.messages import inputs as i
from tarsy_session.state import ToolCallState

ATTEMPTS_BEFORE_FALLBACK = 2
"""The usual number of failures in a row after which another provider is asked."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The recorded parts of an answer (fields of `llm_call.completed`). `cut`: not all of its calls."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    final_answer: str = ""
    reminder: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Instructions:
    """Parts of a system prompt. `calls` stands before the instructions of the tools' servers, `answers` behind them."""

    calls: str = ""
    answers: str = ""


@dataclass(frozen=True, slots=True)
class CallResult:
    """A call of a turn, and its result as the agent reads it."""

    call: ToolCallState
    content: str


class AgentController(Protocol):
    """Stateless: everything comes in with the call."""

    @property
    def attempts_before_fallback(self) -> int:
        """Number of failures in a row after which another provider is asked, where there is one."""
        ...

    @property
    def asks_once(self) -> bool:
        """Whether the agent is asked a single question: nothing of its conversation is asked again."""
        ...

    def interpret(
        self, reported: i.LlmCallReported, tools: Sequence[e.OfferedTool], *, concluding: bool
    ) -> Interpretation:
        """`concluding`: no tool is called any longer, and whatever the agent says is its conclusion."""
        ...

    def offer_tools(self, tools: Sequence[e.OfferedTool]) -> tuple[ToolDefinition, ...]:
        """Returns the tools that go to the provider with the call. None when the prompt describes them instead."""
        ...

    def describe_tools(self, tools: Sequence[e.OfferedTool]) -> str:
        """Returns the end of the system prompt where that describes the tools; else nothing."""
        ...

    def render_turn(self, answer: e.LlmCallCompleted, results: Sequence[CallResult]) -> Iterator[ConversationMessage]:
        """Returns an answer on record and the results of its calls as messages of the conversation."""
        ...

    def instruct(self, *, has_tools: bool) -> Instructions:
        """Returns the parts of the system prompt about this way to answer."""
        ...

    def request_conclusion(self) -> str:
        """Returns the last message to the model when the iterations are used up."""
        ...
