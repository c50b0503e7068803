"""Token estimates of this process, which learn from the usage that its own calls report."""

from tarsy_contracts.conversation import Conversation, Usage
from tarsy_contracts.token_rates import BYTES_PER_TOKEN, TextKind, TokenRates
from tarsy_llm.protocol import Answer

LEAST_SHARE = 0.75
"""A request teaches something about a text that makes up at least this share of it."""


class TokenEstimates:
    def __init__(self) -> None:
        self._rates = TokenRates()

    def estimate(self, provider: str, kind: TextKind, size: int) -> int:
        """The tokens of a text of `size` bytes, as this provider would count them."""
        return self._rates.tokens(provider, kind, size)

    def learn(self, provider: str, kind: TextKind, *, size: int, conversation: Conversation, usage: Usage) -> None:
        """The provider was asked with a text of this kind and size in the conversation, and has counted all of it."""
        sent = sum(map(_count_bytes, (conversation.system, *(message.content for message in conversation.messages))))
        if usage.input_tokens is not None and size >= LEAST_SHARE * sent:
            self._rates = self._rates.observe(provider, kind, size=sent, tokens=usage.input_tokens)


def tokens_of_summary(answer: Answer, content: str) -> int:
    """The size of the summary as it is kept. The provider has counted the whole answer, and maybe thoughts with it."""
    output = answer.usage.output_tokens
    spoken = 0 if output is None else max(0, output - (answer.usage.thinking_tokens or 0))
    if not spoken or not answer.text:
        return round(_count_bytes(content) / BYTES_PER_TOKEN["prose"])
    return round(spoken * min(1.0, len(content) / len(answer.text)))


def _count_bytes(text: str) -> int:
    return len(text.encode(errors="replace"))
