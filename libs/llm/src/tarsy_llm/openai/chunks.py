"""Accumulator of a streamed chat completion. Servers differ, so nothing in a chunk has to be there."""

import json

from pydantic import ConfigDict, JsonValue, ValidationError

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Usage
from tarsy_contracts.thoughts import ThoughtParter, part_thoughts
from tarsy_llm.http.answer_budget import Written
from tarsy_llm.http.endpoint import error_code, error_message
from tarsy_llm.http.http_errors import kind_of_status, sentence
from tarsy_llm.http.lenient_model import LenientModel, read_lenient
from tarsy_llm.http.sse import ServerSentEvent
from tarsy_llm.openai.calls import CallCollector, FunctionDelta, ToolCallDelta
from tarsy_llm.openai.details import MessageDetails, content_parts, opaque_parts
from tarsy_llm.openai.messages import REASONING_FIELDS
from tarsy_llm.openai.usage import OpenAiUsage, usage_of
from tarsy_llm.openai.web_search import GatheredCitations
from tarsy_llm.protocol import Answer, Delta, ErrorKind, LlmCallError
from tarsy_llm.tool_arguments import parse_tool_calls
from tarsy_llm.truncation import truncation_error

DONE = "[DONE]"
STATUS_OF_CODE = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 402,
    "invalid_api_key": 401,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
    "BadRequestError": 400,
}


LENGTH = frozenset({"length", "model_length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
REFUSALS = frozenset(
    {"content_filter", "safety", "SAFETY", "recitation", "RECITATION", "PROHIBITED_CONTENT", "refusal"}
)
MALFORMED = frozenset(
    {"malformed_function_call", "MALFORMED_FUNCTION_CALL", "function_call_filter: MALFORMED_FUNCTION_CALL"}
)
FIRM = LENGTH | REFUSALS | MALFORMED | {"error"}
"""A further reason after these comes from a gateway, and is none of the answer."""


class MessageDelta(LenientModel):
    """`function_call`: how calls came before there were several. `details`: fields that go back with the message."""

    model_config = ConfigDict(extra="allow")

    content: str | list[JsonValue] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: tuple[ToolCallDelta, ...] | None = None
    function_call: FunctionDelta | None = None


class Choice(LenientModel):
    """`message`: of an answer that came whole."""

    delta: MessageDelta | None = None
    message: MessageDelta | None = None
    finish_reason: str | None = None
    error: JsonValue = None


class CompletionChunk(LenientModel):
    """`object`, `message` and `detail`: of an error that is no object of its own."""

    model: str | None = None
    choices: tuple[Choice, ...] | None = None
    usage: OpenAiUsage | None = None
    error: JsonValue = None
    object: str | None = None
    message: str | None = None
    detail: JsonValue = None

    @property
    def is_error(self) -> bool:
        bare = self.choices is None and self.usage is None and bool(self.message or self.detail)
        return bool(self.error) or self.object == "error" or bare


class OpenAiAccumulator:
    """Accumulates one answer. `model`: where the answer names none. `secret` is left out of every sentence.

    `written` counts what the model writes.
    """

    def __init__(
        self,
        provider: str,
        model: str,
        secret: str | None,
        written: Written | None = None,
        *,
        server: str = "",
        left_out: tuple[NativeTool, ...] = (),
    ) -> None:
        """`server`: who gets back what it has put beside its calls. `left_out`: its own tools that it does not get."""
        self._server = server
        self._provider = provider
        self._model = model
        self._secret = secret
        self._written = written or Written()
        self._thinking: list[str] = []
        self._reasoning_field = REASONING_FIELDS[0]
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._collector = CallCollector(self._written)
        self._parter = ThoughtParter()
        self._details = MessageDetails()
        self._citations = GatheredCitations()
        self._left_out = left_out
        self._finish: str | None = None
        self._counted = Usage()

    @property
    def finished(self) -> bool:
        """The model has ended; only usage can follow."""
        return self._finish is not None

    def take(self, event: ServerSentEvent) -> list[Delta]:
        """Raises LlmCallError."""
        if not event.data:
            return []
        chunk = self._chunk(event)
        if chunk.is_error or event.name == "error":
            raise self._told(json.loads(event.data))
        self._model = chunk.model or self._model
        if chunk.usage is not None:
            self._counted = usage_of(chunk.usage)
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        if choice.error:
            raise self._told({"error": choice.error})
        piece, late = self._new(choice), self._finish is not None or choice.delta is None
        if self._finish not in FIRM:
            self._finish = choice.finish_reason or self._finish
        return self._piece(piece, late=late) if piece is not None else []

    def end(self) -> None:
        """The server says that this is all. Calls that are whole are made: some servers never say why they end."""
        calls = self._collector.calls
        if self._finish is None and calls and all(call.whole for call in calls):
            self._finish = "stop"

    def answer(self) -> Answer:
        """Raises LlmCallError."""
        parted = part_thoughts("".join(self._text))
        self._check_end(parted.spoken)
        reasoning = "".join(self._thinking)
        requested = [
            (call, parse_tool_calls(self._provider, call.name, call.arguments)) for call in self._collector.calls
        ]
        calls = tuple(one for _, several in requested for one in several)
        extras = [call.extra for call, several in requested for _ in several]
        return Answer(
            thinking="\n\n".join(part for part in (reasoning, parted.thoughts) if part),
            text=parted.spoken,
            tool_calls=calls,
            usage=self.usage(),
            model=self._model,
            opaque=opaque_parts(self._reasoning_field, reasoning, self._server, extras, self._details.found)
            if calls
            else None,
            cut=self._finish in LENGTH,
            native_calls=self._citations.calls(),
            citations=self._citations.citations(parted.spoken),
            native_left_out=self._left_out,
        )

    def usage(self) -> Usage:
        """Counted so far; most servers count at the end, and none its searches: an answer that cites pages had one."""
        searched = bool(self._citations.calls())
        return self._counted.model_copy(update={"web_searches": 1}) if searched else self._counted

    def _chunk(self, event: ServerSentEvent) -> CompletionChunk:
        try:
            return read_lenient(CompletionChunk, event.data)
        except ValidationError:
            raise LlmCallError(self._sentence("sent what is no chunk", event.data), kind=self._broken()) from None

    def _new(self, choice: Choice) -> MessageDelta | None:
        """Some servers tell the whole message again at its end."""
        if choice.delta is not None or choice.message is None or choice.message.content != "".join(self._text):
            return choice.delta or choice.message
        return choice.message.model_copy(update={"content": None})

    def _told(self, error: JsonValue) -> LlmCallError:
        code = error_code(error, "code") or error_code(error, "type")
        status = int(code) if code.isdecimal() else STATUS_OF_CODE.get(code, 500)
        message = self._sentence("sent an error in its answer", error_message(error))
        kind = kind_of_status(status)
        return LlmCallError(message, kind=self._broken() if kind == "provider_error" else kind)

    def _broken(self) -> ErrorKind:
        return "cut_off" if self._text or self._thinking or self._collector.calls else "provider_error"

    def _piece(self, piece: MessageDelta, *, late: bool) -> list[Delta]:
        deltas: list[Delta] = []
        field = next((name for name in REASONING_FIELDS if getattr(piece, name)), None)
        if field is not None:
            self._reasoning_field = field
            thought: str = getattr(piece, field)
            deltas += self._thought(thought)
        for part, text in content_parts(piece.content):
            deltas += self._thought(text) if part == "thinking" else self._add_text(text)
        if piece.refusal:
            self._refusal.append(piece.refusal)
            self._written.add(piece.refusal)
        for call in piece.tool_calls or ():
            self._collector.take(call, late=late)
        if piece.function_call is not None:
            self._collector.take(ToolCallDelta(function=piece.function_call))
        self._details.take(piece.model_extra or {})
        self._citations.take((piece.model_extra or {}).get("annotations"))
        return deltas

    def _thought(self, text: str) -> list[Delta]:
        self._thinking.append(text)
        self._written.add(text)
        return [Delta(part="thinking", text=text)]

    def _add_text(self, text: str) -> list[Delta]:
        self._text.append(text)
        self._written.add(text)
        return [Delta(part=part, text=piece) for part, piece in self._parter.take(text)]

    def _check_end(self, spoken: str) -> None:
        if self._refusal:
            raise LlmCallError(self._sentence("does not answer this", "".join(self._refusal)), kind="refused")
        finish = self._finish
        if finish is None:
            raise LlmCallError(f"the answer of {self._provider} ended before its end", kind="cut_off")
        if finish in REFUSALS:
            raise LlmCallError(f"{self._provider} held the answer back: content filter", kind="refused")
        if finish in MALFORMED:
            raise LlmCallError(f"{self._provider} gave up a malformed call of the model", kind="malformed_call")
        if finish == "error":
            raise LlmCallError(f"{self._provider} ended the answer with an error", kind=self._broken())
        if finish in LENGTH and (self._collector.calls or not spoken):
            raise truncation_error(self._provider)

    def _sentence(self, what: str, detail: str) -> str:
        return sentence(f"{self._provider} {what}", detail, secret=self._secret)
