"""Settings of one model, for every adapter of a real provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import SecretStr

type Thinking = Literal["off", "low", "medium", "high"]

THINKING_ROOM: Mapping[Thinking | None, int] = {
    "off": 4_096,
    "low": 4_096,
    "medium": 16_384,
    "high": 32_768,
    None: 16_384,
}
"""Tokens of output for thoughts, beside the answer. Some models cannot stop thinking altogether."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """None for `base_url`: the provider's own address. None for `thinking`: what the model does by itself.

    `cloud`: what only some types of providers have (`ProviderType.options`); without a value: empty.
    """

    model: str
    api_key: SecretStr | None = None
    base_url: str | None = None
    thinking: Thinking | None = None
    max_output_tokens: int | None = None
    cloud: Mapping[str, str] = field(default_factory=dict, repr=False)

    def output_limit(self, answer_tokens: int | None) -> int | None:
        """The limit of output for an answer of so many tokens; None for the provider's own.

        Providers count thoughts into it: ai.google.dev/gemini-api/docs/thinking, platform.claude.com/docs (extended
        thinking), platform.openai.com/docs/guides/reasoning. A configured limit is never exceeded.
        """
        if answer_tokens is None:
            return self.max_output_tokens
        wanted = answer_tokens + THINKING_ROOM[self.thinking]
        return wanted if self.max_output_tokens is None else min(wanted, self.max_output_tokens)
