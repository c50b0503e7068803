"""The one way to ask a language model. Each provider's adapter is an `Llm`."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

from pydantic import JsonValue

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Conversation, ToolDefinition, Usage
from tarsy_contracts.native_calls import NativeCall, TextCitation
from tarsy_contracts.wire.message import Value
from tarsy_llm.errors import LlmError


class LlmRequest(Value):
    """`agent` and `iteration` (from 1) say who asks; models ignore them, the scripted one goes by them.

    `native_tools`: what the provider may do by itself, at its own side; providers that cannot do it do not hear of it.
    `answer_tokens`: the limit of the answer without thoughts; None for the configured limit of both together, or the
    provider's own. `is_last`: the conversation ends with this answer, in words. None of `tools` may be called, but they
    stay in the request, as the provider's cache begins with them. `conversation_id`: the same for all
    requests of a conversation that goes on: an adapter may keep what it made of its beginning. Empty for none.
    """

    agent: str
    iteration: int
    conversation: Conversation
    tools: tuple[ToolDefinition, ...] = ()
    native_tools: tuple[NativeTool, ...] = ()
    answer_tokens: int | None = None
    is_last: bool = False
    conversation_id: str = ""


class Delta(Value):
    """A piece of what the model thinks or says, as it comes. Without text it is a sign of life.

    `native_call`: what it has done meanwhile with a tool of its provider. The answer has all of them again.
    """

    part: Literal["thinking", "text"]
    text: str
    native_call: NativeCall | None = None


KEEPALIVE = Delta(part="text", text="")


class AskedTool(Value):
    """A tool call as the model asked for it; it has no id of ours yet.

    `problem`: what the model is told instead of a result, as nobody can read the arguments.
    """

    name: str
    arguments: dict[str, JsonValue]
    problem: str = ""


class Answer(Value):
    """The whole answer, once; it ends the stream.

    `opaque` goes back to the provider unchanged, inside the message that we make of the answer. Text in it that can
    be read is found in `thinking` too: who masks that, and changes it, must not keep the opaque part. `cut`: the text
    ended at the limit of output tokens, not where the model wanted. `native_calls`: what the model did with tools of
    its provider; `citations`: where `text` rests on their sources. `native_left_out`: those wanted that it did not get.
    """

    thinking: str
    text: str
    tool_calls: tuple[AskedTool, ...]
    usage: Usage
    model: str
    opaque: JsonValue = None
    cut: bool = False
    native_calls: tuple[NativeCall, ...] = ()
    citations: tuple[TextCitation, ...] = ()
    native_left_out: tuple[NativeTool, ...] = ()

    @property
    def finish_reason(self) -> str:
        """Why the model stopped, in the words of traces."""
        if self.cut:
            return "length"
        return "tool_calls" if self.tool_calls else "stop"


type ErrorKind = Literal[
    "credentials",
    "invalid_request",
    "refused",
    "rate_limited",
    "provider_error",
    "first_chunk_timeout",
    "stalled",
    "cut_off",
    "answer_too_long",
    "context_full",
    "malformed_call",
    "truncated",
    "tools_refused",
]
"""credentials: no valid key, or no right. invalid_request: it can never succeed as it is. refused: the provider does
not answer this content. rate_limited: too much for now. provider_error: any other failure of the provider, or of the
way to it, before the first chunk. first_chunk_timeout: nothing came. stalled, cut_off: silence, or the end, in the
middle of the answer. answer_too_long: it went on beyond every limit, and was broken off. context_full: the
conversation is too long for the model. malformed_call: the model wrote a call that its own server could not read.
truncated: the tokens of output were used up before the model had said what to do. tools_refused: the provider does not
take a tool, or so many of them."""

FINAL: frozenset[ErrorKind] = frozenset(
    {"credentials", "invalid_request", "refused", "answer_too_long", "context_full", "tools_refused"}
)


class LlmCallError(LlmError):
    """The call failed. The message is a sentence without secrets of ours; it is masked all the same when it is kept.

    `retry_after_seconds`: what the provider asked us to wait. `usage`: what it had counted until then; a failed call
    costs, too. `refused_tools`, `most_tools`, `context_tokens`: what a refusal says of tools and of the context.

    The caller repeats it if `retryable`; else the operator reads the message.
    """

    def __init__(
        self, message: str, *, kind: ErrorKind, retry_after_seconds: float | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.retry_after_seconds = retry_after_seconds
        self.usage = usage or Usage()
        self.refused_tools: tuple[str, ...] = ()
        self.most_tools: int | None = None
        self.context_tokens: int | None = None

    @property
    def retryable(self) -> bool:
        """The same request may succeed later."""
        return self.kind not in FINAL


class Llm(Protocol):
    def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        """Deltas, then one Answer. Raises LlmCallError. Closing the generator ends the call."""
        ...

    async def aclose(self) -> None:
        """Ends its connections. Nothing can be asked afterwards."""
        ...
