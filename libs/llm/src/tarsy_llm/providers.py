"""From the providers of a configuration to an `Llm` each. This library knows no configuration, only its shape."""

import asyncio
from collections.abc import Iterable, Mapping

from tarsy_llm import scripted_provider
from tarsy_llm.anthropic import adapter as anthropic
from tarsy_llm.clouds import azure, bedrock, vertex
from tarsy_llm.google import adapter as google
from tarsy_llm.openai import adapter as openai
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import ModelIdentity, Provider, ProviderType
from tarsy_llm.scripted.scripted_llm import Sleep
from tarsy_llm.timeouts import StreamLimits

PROVIDER_TYPES: Mapping[str, ProviderType] = {
    "scripted": scripted_provider.PROVIDER,
    "google": google.PROVIDER,
    "openai": openai.PROVIDER,
    "anthropic": anthropic.PROVIDER,
    "xai": openai.XAI_PROVIDER,
    "vertexai": vertex.PROVIDER,
    "azure": azure.PROVIDER,
    "bedrock": bedrock.PROVIDER,
}
"""By the name that `type` has in tarsy.yaml."""


def build_llms(
    providers: Mapping[str, Provider], limits: StreamLimits, *, sleep: Sleep = asyncio.sleep
) -> dict[str, Llm]:
    """Raises InvalidScriptError. Once a process: the scripted one remembers what it failed. The caller closes them."""
    return {name: build_llm(provider, limits, sleep=sleep) for name, provider in providers.items()}


def build_llm(provider: Provider, limits: StreamLimits, *, sleep: Sleep = asyncio.sleep) -> Llm:
    return PROVIDER_TYPES[provider.type].build(provider, limits, sleep)


def identify_models(providers: Mapping[str, Provider]) -> dict[str, ModelIdentity]:
    """By the names that the providers have in the configuration."""
    return {
        name: ModelIdentity(PROVIDER_TYPES[provider.type].otel_name or provider.type, provider.model or provider.type)
        for name, provider in providers.items()
    }


async def close_llms(llms: Iterable[Llm]) -> None:
    for llm in llms:
        await llm.aclose()
