"""From the providers of a configuration to an `Llm` each. This library knows no configuration, only its shape."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, Protocol, assert_never

from pydantic import SecretStr

from tarsy_llm.anthropic import AnthropicLlm
from tarsy_llm.google import GoogleLlm
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.openai import XAI, OpenAiLlm
from tarsy_llm.protocol import Llm
from tarsy_llm.script import load_scripts
from tarsy_llm.scripted import ScriptedLlm, Sleep
from tarsy_llm.timeouts import LimitedLlm, StreamLimits


class Provider(Protocol):
    """Configuration of a provider. `scripts` are for the scripted one, all else is for the others."""

    @property
    def type(self) -> Literal["scripted", "google", "openai", "anthropic", "xai"]: ...
    @property
    def scripts(self) -> tuple[Path, ...]: ...
    @property
    def pace_seconds(self) -> float: ...
    @property
    def model(self) -> str: ...
    @property
    def api_key(self) -> SecretStr | None: ...
    @property
    def base_url(self) -> str | None: ...
    @property
    def thinking(self) -> Thinking | None: ...
    @property
    def max_output_tokens(self) -> int | None: ...


def build_llms(
    providers: Mapping[str, Provider], limits: StreamLimits, *, sleep: Sleep = asyncio.sleep
) -> dict[str, Llm]:
    """Raises ScriptInvalid. Once a process: the scripted one remembers what it failed. The caller closes them."""
    return {name: build_llm(provider, limits, sleep=sleep) for name, provider in providers.items()}


def build_llm(provider: Provider, limits: StreamLimits, *, sleep: Sleep = asyncio.sleep) -> Llm:
    match provider.type:
        case "scripted":
            return ScriptedLlm(load_scripts(provider.scripts), sleep, pace_seconds=provider.pace_seconds)
        case "google":
            return LimitedLlm(GoogleLlm(_model_settings(provider)), limits)
        case "openai":
            return LimitedLlm(OpenAiLlm(_model_settings(provider)), limits)
        case "xai":
            return LimitedLlm(OpenAiLlm(_model_settings(provider), XAI), limits)
        case "anthropic":
            return LimitedLlm(AnthropicLlm(_model_settings(provider)), limits)
        case _:
            assert_never(provider.type)


async def close_llms(llms: Iterable[Llm]) -> None:
    for llm in llms:
        await llm.aclose()


def _model_settings(provider: Provider) -> ModelSettings:
    return ModelSettings(
        model=provider.model,
        api_key=provider.api_key,
        base_url=provider.base_url,
        thinking=provider.thinking,
        max_output_tokens=provider.max_output_tokens,
    )
