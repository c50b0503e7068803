"""Accumulator of a streamed message of Anthropic."""

import json

from pydantic import JsonValue, ValidationError

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Usage
from tarsy_contracts.native_calls import NativeCall
from tarsy_llm.anthropic.blocks import opaque
from tarsy_llm.anthropic.stream_events import (
    AnthropicUsage,
    BlockDelta,
    BlockStarted,
    RefusalDetails,
    StreamEvent,
    WholeMessage,
)
from tarsy_llm.anthropic.streamed_block import StreamedBlock, list_citations
from tarsy_llm.anthropic.web_search import NAME, FoundSearches, source_of
from tarsy_llm.http.answer_budget import Written
from tarsy_llm.http.endpoint import error_code, error_message
from tarsy_llm.http.http_errors import kind_of_status, sentence
from tarsy_llm.http.lenient_model import read_lenient
from tarsy_llm.http.sse import ServerSentEvent
from tarsy_llm.protocol import Answer, Delta, ErrorKind, LlmCallError
from tarsy_llm.tool_arguments import parse_tool_calls
from tarsy_llm.truncation import truncation_error

BETWEEN_THOUGHTS = "\n\n"
STATUS_OF_ERROR = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class AnthropicAccumulator:
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
        left_out: tuple[NativeTool, ...] = (),
    ) -> None:
        """`left_out`: tools of the provider that it is not asked for."""
        self._provider = provider
        self._model = model
        self._secret = secret
        self._written = written or Written()
        self._blocks: dict[int, StreamedBlock] = {}
        self._has_thought = False
        self._searches = FoundSearches()
        self._first = 0
        self._left_out = left_out
        self._before = Usage()
        self._counted = AnthropicUsage()
        self._stop_reason: str | None = None
        self._refusal = RefusalDetails()
        self.ended = False

    def take(self, event: ServerSentEvent) -> list[Delta]:
        """Raises LlmCallError."""
        if not event.data:
            return []
        parsed = self._parse_event(event)
        match parsed.type:
            case "message_start" if parsed.message is not None:
                self._model = parsed.message.model or self._model
                self._count(parsed.message.usage)
            case "content_block_start" if parsed.content_block is not None:
                return self._begin(self._first + parsed.index, parsed.content_block)
            case "content_block_delta" if parsed.delta is not None:
                return self._go_on(self._first + parsed.index, parsed.delta)
            case "content_block_stop":
                self._note_query(self._blocks.get(self._first + parsed.index))
            case "message_delta":
                self._end(parsed.delta)
                self._count(parsed.usage)
            case "message_stop":
                self.ended = True
            case "message":
                return self._take_whole(event)
            case "error":
                raise self._read_error(event)
            case _:  # A ping, the end of a block, and what they will think of.
                pass
        return []

    def _take_whole(self, event: ServerSentEvent) -> list[Delta]:
        """An answer that came whole, though a stream was asked for."""
        whole = read_lenient(WholeMessage, event.data)
        self._model = whole.model or self._model
        self._count(whole.usage)
        self._stop_reason, self.ended = whole.stop_reason, True
        return [delta for index, block in enumerate(whole.content) for delta in self._begin(index, block)]

    def answer(self) -> Answer:
        """Raises LlmCallError."""
        blocks = list(self._blocks.values())
        text = "".join(piece for block in blocks for piece in block.text)
        calls = [block for block in blocks if block.type == "tool_use"]
        self._check_end(text, len(calls))
        return Answer(
            thinking=BETWEEN_THOUGHTS.join("".join(block.thinking) for block in blocks if block.thinking),
            text=text,
            tool_calls=tuple(
                one for call in calls for one in parse_tool_calls(self._provider, call.name, "".join(call.arguments))
            ),
            usage=self.usage(),
            model=self._model,
            opaque=opaque(tuple(kept for block in blocks if (kept := block.to_kept()) is not None)),
            cut=self._stop_reason == "max_tokens",
            native_calls=self._searches.calls(),
            citations=tuple(list_citations(blocks)),
            native_left_out=self._left_out,
        )

    @property
    def paused(self) -> bool:
        return self.ended and self._stop_reason == "pause_turn"

    def continue_paused(self) -> list[JsonValue]:
        """Returns all blocks so far, which go back, and takes the answer that follows as the rest of this one."""
        self._first = max(self._blocks, default=-1) + 1
        self._before, self._counted = self.usage(), AnthropicUsage()
        self.ended, self._stop_reason = False, None
        return [raw for block in self._blocks.values() if (raw := block.to_raw()) is not None]

    def usage(self) -> Usage:
        """Counted so far."""
        counted = self._counted
        cached = (counted.cache_creation_input_tokens or 0) + (counted.cache_read_input_tokens or 0)
        details = counted.output_tokens_details
        searched = counted.server_tool_use
        now = Usage(
            input_tokens=None if counted.input_tokens is None else counted.input_tokens + cached,
            output_tokens=counted.output_tokens,
            thinking_tokens=None if details is None else details.thinking_tokens,
            cached_input_tokens=counted.cache_read_input_tokens,
            cache_written_tokens=counted.cache_creation_input_tokens,
            web_searches=None if searched is None else searched.web_search_requests,
        )
        return _sum(self._before, now)

    def _note_query(self, block: StreamedBlock | None) -> None:
        if block is not None and block.type == "server_tool_use" and block.name == NAME:
            self._searches.add_query(block.id, block.input)

    def _parse_event(self, event: ServerSentEvent) -> StreamEvent:
        try:
            return read_lenient(StreamEvent, event.data)
        except ValidationError:
            raise LlmCallError(self._sentence("sent what is no event", event.data), kind=self._broken()) from None

    def _read_error(self, event: ServerSentEvent) -> LlmCallError:
        error: JsonValue = json.loads(event.data)
        status = STATUS_OF_ERROR.get(error_code(error, "type"), 500)
        kind = kind_of_status(status)
        message = self._sentence("sent an error in its answer", error_message(error))
        return LlmCallError(message, kind=self._broken() if kind == "provider_error" else kind)

    def _broken(self) -> ErrorKind:
        return "cut_off" if self._blocks else "provider_error"

    def _begin(self, index: int, begun: BlockStarted) -> list[Delta]:
        block = self._blocks[index] = StreamedBlock(begun.type, begun.data, begun.name)
        block.id, block.content = begun.id or begun.tool_use_id, begun.content
        block.citations += [source for one in begun.citations or () if (source := source_of(one)) is not None]
        if begun.type == "web_search_tool_result":
            call = self._searches.add_result(block.id, begun.content)
            return [Delta(part="thinking", text=_line_of(call, self._gap(block)), native_call=call)]
        # Anthropic sends arguments in pieces; servers that imitate it may send them here.
        arguments = json.dumps(begun.input) if begun.input else ""
        first = BlockDelta(text=begun.text, thinking=begun.thinking, signature=begun.signature, partial_json=arguments)
        return self._go_on(index, first)

    def _go_on(self, index: int, piece: BlockDelta) -> list[Delta]:
        # Converse announces only calls.
        block = self._blocks.setdefault(
            index, StreamedBlock("thinking" if piece.thinking or piece.signature else "text")
        )
        if piece.signature:
            block.signature.append(piece.signature)
        if piece.citation is not None and (source := source_of(piece.citation)) is not None:
            block.citations.append(source)
        deltas = []
        if piece.partial_json:
            block.arguments.append(piece.partial_json)
            self._written.add(piece.partial_json)
        if piece.thinking:
            deltas.append(Delta(part="thinking", text=self._gap(block) + piece.thinking))
            block.thinking.append(piece.thinking)
            self._has_thought = True
            self._written.add(piece.thinking)
        if piece.text:
            deltas.append(Delta(part="text", text=piece.text))
            block.text.append(piece.text)
            self._written.add(piece.text)
        return deltas

    def _gap(self, block: StreamedBlock) -> str:
        return BETWEEN_THOUGHTS if self._has_thought and not block.thinking else ""

    def _end(self, delta: BlockDelta | None) -> None:
        if delta is not None:
            self._stop_reason = delta.stop_reason or self._stop_reason
            self._refusal = delta.stop_details or self._refusal

    def _count(self, counted: AnthropicUsage | None) -> None:
        if counted is not None:
            self._counted = self._counted.model_copy(update={key: value for key, value in counted if value is not None})

    def _check_end(self, text: str, calls: int) -> None:
        match self._stop_reason:
            case None:
                raise LlmCallError(f"the answer of {self._provider} ended before its end", kind="cut_off")
            case "refusal":
                why = self._refusal.explanation or self._refusal.category or ""
                raise LlmCallError(self._sentence("does not answer this", why), kind="refused")
            case "model_context_window_exceeded":
                message = f"the conversation fills the context window of the model, said {self._provider}"
                raise LlmCallError(message, kind="context_full")
            case "max_tokens" if calls or not text:
                raise truncation_error(self._provider)

    def _sentence(self, what: str, detail: str) -> str:
        return sentence(f"{self._provider} {what}", detail, secret=self._secret)


def _line_of(call: NativeCall, gap: str) -> str:
    """Words that people see among the thoughts while the answer comes."""
    return f"{gap}[searched the web for: {', '.join(call.queries)}; {len(call.sources)} pages]\n"


def _sum(before: Usage, now: Usage) -> Usage:
    if before == Usage():
        return now
    counts = {
        name: None if (one, other) == (None, None) else (one or 0) + (other or 0)
        for name, one in before
        for other in (getattr(now, name),)
    }
    return Usage(**counts)
