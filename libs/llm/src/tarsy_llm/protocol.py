"""The one way to ask a language model. Each provider's adapter is an `Llm`."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

from pydantic import JsonValue

from tarsy_contracts.conversation import Conversation, ToolDefinition, Usage
from tarsy_contracts.message import Value


class LlmRequest(Value):
    """`agent` and `iteration` (from 1) say who asks; models ignore them, the scripted one goes by them.

    `tools` is empty when the model is to answer in words.
    """

    agent: str
    iteration: int
    conversation: Conversation
    tools: tuple[ToolDefinition, ...] = ()
    max_output_tokens: int | None = None


class Delta(Value):
    """A piece of what the model thinks or says, as it comes."""

    part: Literal["thinking", "text"]
    text: str


class AskedTool(Value):
    """A tool call as the model asked for it; it has no id of ours yet."""

    name: str
    arguments: dict[str, JsonValue]


class Answer(Value):
    """The whole answer, once; it ends the stream. `opaque` goes back to the provider unchanged."""

    thinking: str
    text: str
    tool_calls: tuple[AskedTool, ...]
    usage: Usage
    model: str
    opaque: JsonValue = None


class LlmError(Exception):
    """The call failed. `retryable`: the same request may succeed later."""

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


class Llm(Protocol):
    def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        """Deltas, then one Answer. Raises LlmError. Closing the generator ends the call."""
        ...
