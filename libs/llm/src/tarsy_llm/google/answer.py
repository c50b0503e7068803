"""Gathers the chunks of a stream of Gemini into deltas and one answer."""

import base64
import json
from typing import TYPE_CHECKING

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Usage
from tarsy_llm.google.finish_reasons import FinishReason, error_of_finish
from tarsy_llm.google.native import NativeTold, dump_native_part, fits, lines_of_grounding, lines_of_part
from tarsy_llm.google.native_calls import GatheredNativeCalls
from tarsy_llm.google.parts import PartKept, opaque_of
from tarsy_llm.http.answer_budget import Written
from tarsy_llm.protocol import KEEPALIVE, Answer, AskedTool, Delta, LlmCallError

if TYPE_CHECKING:
    from google.genai import types


class GatheredAnswer:
    """`written` counts what the model writes. `left_out`: tools of its own that it does not get."""

    def __init__(self, model: str, written: Written | None = None, left_out: tuple[NativeTool, ...] = ()) -> None:
        self._model = model
        self._written = written or Written()
        self._thinking: list[str] = []
        self._text: list[str] = []
        self._calls: list[AskedTool] = []
        self._parts: list[PartKept] = []
        self._has_words = False
        self._native = NativeTold()
        self._native_calls = GatheredNativeCalls()
        self._left_out = left_out
        self._line_begun = False
        self._counted = Usage()
        self._ended = FinishReason()

    def take(self, chunk: "types.GenerateContentResponse") -> list[Delta]:
        self._model = chunk.model_version or self._model
        if chunk.usage_metadata is not None:
            self._counted = _usage(chunk.usage_metadata)
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason is not None:
            self._ended = FinishReason(blocked=chunk.prompt_feedback.block_reason.value)
        deltas: list[Delta] = []
        for candidate in (chunk.candidates or [])[:1]:
            if candidate.finish_reason is not None:
                self._ended = FinishReason(reason=candidate.finish_reason.value)
            for part in (candidate.content.parts if candidate.content is not None else None) or []:
                deltas += self._part(part)
            found = self._native_calls.take_grounding(candidate)
            for line in lines_of_grounding(candidate):
                deltas += self._tell(line)
            deltas += [Delta(part="thinking", text="", native_call=call) for call in found]
        return deltas or [KEEPALIVE]

    def whole(self) -> Answer:
        """Raises LlmCallError."""
        text = "".join(self._text)
        error = error_of_finish(self._ended, text=text, calls=len(self._calls))
        if error is not None:
            raise error
        return Answer(
            thinking="".join(self._thinking),
            text=text,
            tool_calls=tuple(self._calls),
            usage=self.usage(),
            model=self._model,
            opaque=opaque_of(self._kept()),
            cut=self._ended.reason == "MAX_TOKENS",
            native_calls=self._native_calls.calls(),
            citations=self._native_calls.citations(text),
            native_left_out=self._left_out,
        )

    def usage(self) -> Usage:
        """Counted so far. Gemini counts tokens only: its searches are counted by their queries."""
        searches = self._native_calls.count_searches(self._model)
        return self._counted if searches is None else self._counted.model_copy(update={"web_searches": searches})

    def _kept(self) -> tuple[PartKept, ...]:
        """Parts that go back. Native parts go back only when all of them fit."""
        native = [part.native for part in self._parts if part.native is not None]
        if fits(native):
            return tuple(self._parts)
        return tuple(part for part in self._parts if part.native is None)

    def _part(self, part: "types.Part") -> list[Delta]:
        signature = base64.b64encode(part.thought_signature).decode() if part.thought_signature else None
        if part.function_call is not None:
            self._call(part.function_call, signature)
            return []
        if (kept := dump_native_part(part)) is not None or part.inline_data is not None:
            self._parts += [PartKept(kind="native", signature=signature, native=kept)] if kept is not None else []
            call = self._native_calls.take_part(part)
            lines = [delta for line in lines_of_part(part) for delta in self._tell(line)]
            return lines if call is None else [*lines, Delta(part="thinking", text="", native_call=call)]
        text = part.text or ""
        if text:
            self._written.add(text)
        if part.thought:
            self._thinking.append(text)
            self._line_begun = not text.endswith("\n") if text else self._line_begun
            if signature:
                self._parts.append(PartKept(kind="thought", signature=signature))
            return [Delta(part="thinking", text=text)] if text else []
        self._text.append(text)
        self._words(text, signature)
        return [Delta(part="text", text=text)] if text else []

    def _tell(self, line: str) -> list[Delta]:
        """A separate line among the thoughts while they come. The answer has it as a native call instead."""
        lines = self._native.take(line)
        if not lines:
            return []
        begun, self._line_begun = self._line_begun, False
        return [Delta(part="thinking", text=f"\n{lines}\n" if begun else f"{lines}\n")]

    def _call(self, call: "types.FunctionCall", signature: str | None) -> None:
        if not call.name:
            raise LlmCallError("Gemini asked for a tool without saying which", kind="cut_off")
        arguments = call.args or {}
        self._calls.append(AskedTool(name=call.name, arguments=arguments))
        self._written.add(json.dumps(arguments, ensure_ascii=False))
        self._parts.append(PartKept(kind="call", signature=signature, id=call.id))

    def _words(self, text: str, signature: str | None) -> None:
        """Words that came in pieces are one part: with the signature of its last piece, if that has words too."""
        last = self._parts[-1] if self._parts else None
        if text and not self._has_words:
            self._has_words = True
            self._parts.append(PartKept(kind="text", signature=signature))
        elif text and last == PartKept(kind="text"):
            self._parts[-1] = PartKept(kind="text", signature=signature)
        elif signature:
            self._parts.append(PartKept(kind="mark", signature=signature))


def _usage(metadata: "types.GenerateContentResponseUsageMetadata") -> Usage:
    """The prompt includes what came from the cache; thoughts, and what its own tools read, stand beside the others."""
    return Usage(
        input_tokens=_sum(metadata.prompt_token_count, metadata.tool_use_prompt_token_count),
        output_tokens=_sum(metadata.candidates_token_count, metadata.thoughts_token_count),
        thinking_tokens=metadata.thoughts_token_count,
        cached_input_tokens=metadata.cached_content_token_count,
    )


def _sum(*counts: int | None) -> int | None:
    """None when nothing was told."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
