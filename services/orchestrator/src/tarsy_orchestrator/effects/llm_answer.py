"""Masking of a model's answer: once, before it is recorded. The recorded calls are the ones that run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.messages.inputs import LlmCallReported
from tarsy_contracts.native_calls import NativeCall, TextCitation
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_llm.protocol import Answer, AskedTool
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.native_masking import mask_citations, mask_native_calls
from tarsy_session.controllers.function_calling import MOST_CALLS

MOST_AT_ONCE = 64 * 1024
"""Characters that are masked on the event loop: some milliseconds."""
SEALED = frozenset(
    {"signature", "thought_signature", "data", "encrypted_content", "thinking", "reasoning", "reasoning_content"}
)
"""Fields that nobody but their provider can read, or that stand in the thinking too."""
NATIVE = "native"
"""Field of parts that hold what a tool of the provider was given or returned: nothing in it is sealed."""
MOST_RECORD_BYTES = 3 * 1024 * 1024
"""An event of the answer has room for it, and for what follows from it."""


@dataclass(frozen=True, slots=True)
class MaskedAnswer:
    """The masked parts of an answer. `opaque` is as the provider wants it back, or not there."""

    thinking: str
    text: str
    tool_calls: tuple[ToolCall, ...]
    model: str
    opaque: JsonValue
    calls_left_out: int = 0
    unreadable_calls: Mapping[str, str] = field(default_factory=dict)
    native_calls: tuple[NativeCall, ...] = ()
    citations: tuple[TextCitation, ...] = ()


def is_long(answer: Answer) -> bool:
    """Masking it takes longer than the event loop may be held."""
    arguments = sum(len(str(call.arguments)) for call in answer.tool_calls)
    native = sum(len(call.code) + len(call.output) + 100 * len(call.sources) for call in answer.native_calls)
    return len(answer.thinking) + len(answer.text) + arguments + native > MOST_AT_ONCE


def record_size(report: LlmCallReported) -> int:
    """Bytes that it takes in an event; 0 for one that is surely small."""
    sizes = [len(report.thinking), len(report.text), *(len(str(call.arguments)) for call in report.tool_calls)]
    return len(report.model_dump_json()) if sum(sizes) > MOST_AT_ONCE else 0


def mask_answer(answer: Answer, masker: Masker, *, llm_call_id: str, offered: Collection[str]) -> MaskedAnswer:
    """`masker` is that of the session, `offered` the names of the tools that the model may call.

    Calls beyond the limit are dropped unmasked: masking them would take longer than all the rest.
    """
    thinking, text = masker.mask(answer.thinking), masker.mask(answer.text)
    calls = answer.tool_calls[:MOST_CALLS]
    return MaskedAnswer(
        thinking=thinking,
        text=text,
        tool_calls=_mask_calls(calls, masker, llm_call_id, offered),
        model=masker.mask(answer.model),
        # It may repeat the thinking word for word: it is kept as it is, or not at all.
        opaque=answer.opaque if thinking == answer.thinking and not _holds_secret(answer.opaque, masker) else None,
        calls_left_out=max(0, len(answer.tool_calls) - MOST_CALLS),
        unreadable_calls={
            tool_call_id(llm_call_id, index): masker.mask(one.problem) for index, one in enumerate(calls) if one.problem
        },
        native_calls=mask_native_calls(answer.native_calls, masker),
        citations=mask_citations(answer.citations, answer.text, text, masker),
    )


def _holds_secret(opaque: JsonValue, masker: Masker) -> bool:
    """Whether fields that a server has put beside its calls hold a secret that can be read."""
    match opaque:
        case dict() if NATIVE in opaque:
            return masker.mask_json(opaque[NATIVE]) != opaque[NATIVE]
        case dict():
            return any(_holds_secret(value, masker) for key, value in opaque.items() if key not in SEALED)
        case list():
            return any(_holds_secret(value, masker) for value in opaque)
        case str():
            return masker.mask(opaque) != opaque
        case _:
            return False


def _mask_calls(
    requested: Sequence[AskedTool], masker: Masker, llm_call_id: str, offered: Collection[str]
) -> tuple[ToolCall, ...]:
    """A tool that nobody offered is the model's invention, and so are the names of arguments."""
    return tuple(
        ToolCall(
            id=tool_call_id(llm_call_id, index),
            name=one.name if one.name in offered else "__".join(map(masker.mask, one.name.split("__"))),
            arguments=_mask_arguments(one.arguments, masker),
        )
        for index, one in enumerate(requested)
    )


def _mask_arguments(arguments: dict[str, JsonValue], masker: Masker) -> dict[str, JsonValue]:
    """Arguments that could not be masked at all are dropped: what comes back then is no object."""
    masked = masker.mask_json(arguments)
    return masked if isinstance(masked, dict) else {}
