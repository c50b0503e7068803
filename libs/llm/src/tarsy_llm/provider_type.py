"""Type of an LLM provider: how it is built, and where its key and address are looked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from tarsy_contracts.chain import NativeTool
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.protocol import Llm
from tarsy_llm.scripted.scripted_llm import Sleep
from tarsy_llm.timeouts import LimitedLlm, StreamLimits


class Provider(Protocol):
    """Configuration of a provider. `scripts` are for the scripted one, all else is for the others."""

    @property
    def type(self) -> str: ...
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
    @property
    def cloud(self) -> Mapping[str, str]: ...


type Build = Callable[[Provider, StreamLimits, Sleep], Llm]
type NativeToolsOf = Callable[[str], tuple[NativeTool, ...]]


def no_native_tools(_model: str) -> tuple[NativeTool, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class ProviderType:
    """`key_variables` and `address_variable`: where the provider's own tools look for a key and an address.

    `otel_name`: how OpenTelemetry's conventions for generative AI call it, where they know it.
    `options`: keys of its own, each with the variables where it is looked for. `required`: the keys without which it
    cannot be asked; with any it needs no API key, as the cloud's credentials are found at the first call.
    `native_tools`: those that it may be asked for, by the name of the model; its adapter may leave out more.
    """

    build: Build
    key_variables: tuple[str, ...] = ()
    address_variable: str = ""
    otel_name: str = ""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    native_tools: NativeToolsOf = no_native_tools

    @property
    def variables(self) -> frozenset[str]:
        """All variables of the environment that it looks at."""
        return frozenset({*self.key_variables, self.address_variable, *chain(*self.options.values())} - {""})


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """The model that a provider of the configuration stands for, in OpenTelemetry's words."""

    provider: str
    model: str


def identity_of(models: Mapping[str, ModelIdentity], provider: str) -> ModelIdentity:
    """A provider that is not configured here stands for itself."""
    return models.get(provider) or ModelIdentity(provider, provider)


def remote(make: Callable[[ModelSettings], Llm]) -> Build:
    """Builds a provider that is asked over the network, within the limits of a stream."""

    def build(provider: Provider, limits: StreamLimits, sleep: Sleep) -> Llm:
        settings = ModelSettings(
            model=provider.model,
            api_key=provider.api_key,
            base_url=provider.base_url,
            thinking=provider.thinking,
            max_output_tokens=provider.max_output_tokens,
            cloud=provider.cloud,
        )
        return LimitedLlm(make(settings), limits)

    return build
