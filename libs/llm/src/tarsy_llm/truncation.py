"""Truncation: an answer that ended at the limit of output tokens, where nothing can be made of it."""

from tarsy_llm.protocol import LlmCallError


def truncation_error(provider: str) -> LlmCallError:
    """In a tool call, or while the model still thought. It can go better the next time: how much it thinks differs."""
    return LlmCallError(
        f"{provider} used up its output tokens before it had said what to do: raise max_output_tokens",
        kind="truncated",
    )
