"""Finish reasons of Gemini, and which of them are failures."""

from dataclasses import dataclass

from tarsy_llm.protocol import LlmCallError
from tarsy_llm.truncation import truncation_error

REFUSALS = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "MODEL_ARMOR",
        "ESCALATION",
        "PUP_LIMITED_DISABLED",
    }
)
MISHAPS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"})
"""The model stumbled: asked again, it may not."""


@dataclass(frozen=True, slots=True)
class FinishReason:
    """`blocked`: the conversation was not answered at all."""

    reason: str = ""
    blocked: str = ""


def error_of_finish(ended: FinishReason, *, text: str, calls: int) -> LlmCallError | None:
    """None: what came is the answer. An empty one that ends well is for the agent to judge."""
    if ended.blocked:
        return LlmCallError(f"Gemini refused the conversation ({ended.blocked})", kind="refused")
    if ended.reason in REFUSALS:
        return LlmCallError(f"Gemini refused to answer ({ended.reason})", kind="refused")
    if ended.reason in MISHAPS:
        return LlmCallError(f"Gemini gave up its answer ({ended.reason})", kind="malformed_call")
    if ended.reason == "MISSING_THOUGHT_SIGNATURE":
        return LlmCallError("Gemini misses a thought signature in the conversation", kind="invalid_request")
    if calls:
        return None
    if not ended.reason:
        return LlmCallError("the answer of Gemini broke off: it has no end", kind="cut_off")
    if text or ended.reason == "STOP":
        return None
    if ended.reason == "MAX_TOKENS":
        return truncation_error("Gemini")
    return LlmCallError(f"Gemini ended without an answer ({ended.reason})", kind="provider_error")
