"""Settings of one model, for every adapter of a real provider."""

from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr

type Thinking = Literal["off", "low", "medium", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """None for `base_url`: the provider's own address. None for `thinking`: what the model does by itself."""

    model: str
    api_key: SecretStr | None = None
    base_url: str | None = None
    thinking: Thinking | None = None
    max_output_tokens: int | None = None
