"""Models of the LLM providers of the configuration, which outlive a change of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from tarsy_config.config import Config
from tarsy_config.sections.providers import LlmProvider
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import ModelIdentity
from tarsy_llm.providers import build_llms, close_llms, identify_models
from tarsy_llm.timeouts import StreamLimits


@dataclass(frozen=True, slots=True)
class ConfiguredModels:
    """`llms` by provider, also those that are no longer configured: plans name them until their sessions end.

    `replaced`: those whose provider is another one now. They stay open, as calls may use them.
    """

    llms: Mapping[str, Llm]
    providers: Mapping[str, LlmProvider]
    limits: StreamLimits
    replaced: tuple[Llm, ...] = ()

    @property
    def identities(self) -> dict[str, ModelIdentity]:
        return identify_models(self.providers)

    async def close(self) -> None:
        await close_llms([*self.llms.values(), *self.replaced])


def models_of(config: Config, before: ConfiguredModels | None = None) -> ConfiguredModels:
    """An unchanged provider keeps its model: a scripted one remembers what it failed. Raises InvalidScriptError."""
    limits = StreamLimits(config.limits.llm_first_chunk, config.limits.llm_stall)
    providers = config.usable_llm_providers
    if before is None:
        return ConfiguredModels(build_llms(providers, limits), providers, limits)
    changed = {
        name: provider
        for name, provider in providers.items()
        if limits != before.limits or provider != before.providers.get(name)
    }
    return ConfiguredModels(
        {**before.llms, **build_llms(changed, limits)},
        {**before.providers, **providers},
        limits,
        (*before.replaced, *(before.llms[name] for name in changed if name in before.llms)),
    )
