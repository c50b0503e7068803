"""Accumulator of a streamed chat completion. Servers differ, so nothing in a chunk has to be there."""

import json
from dataclasses import dataclass, field

from pydantic import JsonValue, ValidationError

from tarsy_contracts.conversation import Usage
from tarsy_llm.answer_budget import Written
from tarsy_llm.endpoint import error_code, error_message
from tarsy_llm.http_errors import kind_of_status, sentence
from tarsy_llm.lenient_model import LenientModel
from tarsy_llm.openai_messages import REASONING_FIELDS
from tarsy_llm.openai_usage import OpenAiUsage, usage_of
from tarsy_llm.openai_wire import opaque_reasoning
from tarsy_llm.protocol import Answer, Delta, ErrorKind, LlmCallError
from tarsy_llm.sse import ServerSentEvent
from tarsy_llm.tool_arguments import asked_tool
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


class FunctionDelta(LenientModel):
    name: str | None = None
    arguments: str | dict[str, JsonValue] | None = None


class ToolCallDelta(LenientModel):
    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class MessageDelta(LenientModel):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: tuple[ToolCallDelta, ...] | None = None


class Choice(LenientModel):
    delta: MessageDelta | None = None
    finish_reason: str | None = None


class CompletionChunk(LenientModel):
    model: str | None = None
    choices: tuple[Choice, ...] | None = None
    usage: OpenAiUsage | None = None
    error: JsonValue = None


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class OpenAiAccumulator:
    """Accumulates one answer. `model`: where the answer names none. `secret` is left out of every sentence.

    `written` counts what the model writes.
    """

    def __init__(self, provider: str, model: str, secret: str | None, written: Written | None = None) -> None:
        self._provider = provider
        self._model = model
        self._secret = secret
        self._written = written or Written()
        self._thinking: list[str] = []
        self._reasoning_field = REASONING_FIELDS[0]
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_Call] = []
        self._last_calls: dict[int | None, _Call] = {}
        """By index."""
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
        if chunk.error is not None or event.name == "error":
            raise self._told(event)
        self._model = chunk.model or self._model
        if chunk.usage is not None:
            self._counted = usage_of(chunk.usage)
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        return self._piece(choice.delta) if choice.delta is not None else []

    def answer(self) -> Answer:
        """Raises LlmCallError."""
        self._check_end()
        thinking = "".join(self._thinking)
        return Answer(
            thinking=thinking,
            text="".join(self._text),
            tool_calls=tuple(asked_tool(self._provider, call.name, "".join(call.arguments)) for call in self._calls),
            usage=self._counted,
            model=self._model,
            opaque=opaque_reasoning(self._reasoning_field, thinking) if self._calls else None,
            cut=self._finish == "length",
        )

    def usage(self) -> Usage:
        """Counted so far; most servers count at the end."""
        return self._counted

    def _chunk(self, event: ServerSentEvent) -> CompletionChunk:
        try:
            return CompletionChunk.model_validate_json(event.data)
        except ValidationError:
            raise LlmCallError(self._sentence("sent what is no chunk", event.data), kind=self._broken()) from None

    def _told(self, event: ServerSentEvent) -> LlmCallError:
        error: JsonValue = json.loads(event.data)
        code = error_code(error, "code") or error_code(error, "type")
        status = int(code) if code.isdecimal() else STATUS_OF_CODE.get(code, 500)
        said = self._sentence("sent an error in its answer", error_message(error))
        kind = kind_of_status(status)
        return LlmCallError(said, kind=self._broken() if kind == "provider_error" else kind)

    def _broken(self) -> ErrorKind:
        return "cut_off" if self._text or self._thinking or self._calls else "provider_error"

    def _piece(self, piece: MessageDelta) -> list[Delta]:
        deltas = []
        field = next((name for name in REASONING_FIELDS if getattr(piece, name)), None)
        if field is not None:
            self._reasoning_field = field
            thought: str = getattr(piece, field)
            self._thinking.append(thought)
            self._written.add(thought)
            deltas.append(Delta(part="thinking", text=thought))
        if piece.content:
            self._text.append(piece.content)
            self._written.add(piece.content)
            deltas.append(Delta(part="text", text=piece.content))
        if piece.refusal:
            self._refusal.append(piece.refusal)
            self._written.add(piece.refusal)
        for call in piece.tool_calls or ():
            self._call_piece(call)
        return deltas

    def _call_piece(self, piece: ToolCallDelta) -> None:
        call = self._call_of(piece)
        call.id = call.id or piece.id or ""
        if piece.function is not None:
            call.name = call.name or piece.function.name or ""
            said = piece.function.arguments or ""
            arguments = said if isinstance(said, str) else json.dumps(said)
            call.arguments.append(arguments)
            self._written.add(arguments)

    def _call_of(self, piece: ToolCallDelta) -> _Call:
        """Some servers give every call the same index, some give none, some no ids."""
        same = self._last_calls.get(piece.index)
        other_id = same is not None and bool(piece.id) and piece.id != same.id
        named_anew = piece.index is None and piece.function is not None and bool(piece.function.name)
        if same is None or other_id or (named_anew and not (piece.id and piece.id == same.id)):
            same = self._last_calls[piece.index] = _Call()
            self._calls.append(same)
        return same

    def _check_end(self) -> None:
        if self._refusal:
            raise LlmCallError(self._sentence("does not answer this", "".join(self._refusal)), kind="refused")
        match self._finish:
            case None:
                raise LlmCallError(f"the answer of {self._provider} ended before its end", kind="cut_off")
            case "content_filter":
                raise LlmCallError(f"{self._provider} held the answer back: content filter", kind="refused")
            case "error":
                raise LlmCallError(f"{self._provider} ended the answer with an error", kind=self._broken())
            case "length" if self._calls or not self._text:
                raise truncation_error(self._provider)

    def _sentence(self, what: str, said: str) -> str:
        return sentence(f"{self._provider} {what}", said, secret=self._secret)
