"""`llm_providers`: which models can be asked, and how."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from tarsy_config.values import Section, later

LATER = frozenset({"google", "openai", "anthropic", "xai", "vertexai"})


class LlmProvider(Section):
    """`script` is an absolute path once it is loaded; in the file it is relative to the file."""

    type: Literal["scripted"]
    script: Path
    pace_seconds: float = Field(0.0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _only_scripted(cls, value: Any) -> Any:
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind in LATER:
            raise later(f"the provider type {kind}", "use scripted", key="type")
        return value
