"""`llm_providers`: which models can be asked, and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from tarsy_config.values import Name, Positive, Section, one_of, one_or_several, wrong
from tarsy_contracts.chain import NativeTool
from tarsy_llm.providers import PROVIDER_TYPES

SCRIPT_KEYS = frozenset({"script", "pace_seconds"})
MODEL_KEYS = frozenset(
    {"model", "api_key", "api_key_env", "base_url", "thinking", "max_output_tokens", "context_tokens", "native_tools"}
)
CLOUD_KEYS = frozenset(key for type in PROVIDER_TYPES.values() for key in type.options)
DEFAULT_CONTEXT_TOKENS = 128_000
CONTEXT_TOKENS: Mapping[str, int] = {"google": 1_000_000, "anthropic": 200_000}
"""By type, where the models of today agree. All others, and those of one's own, have the default or say it."""
CONTEXT_TOKENS_OF_MODELS: Mapping[str, int] = {"gemini-": 1_000_000, "claude-": 200_000}
"""By a part of the model's name, for the clouds that serve several makers' models."""


class NativeTools(Section):
    """Tools that the provider itself runs. None: as the more general level says, finally no.

    `google_search` is its own web search, whoever it is.
    """

    google_search: bool | None = None
    url_context: bool | None = None
    code_execution: bool | None = None


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that a provider cannot be asked without, and the variables that are looked at for it."""

    what: str
    variables: tuple[str, ...]

    @property
    def remedy(self) -> str:
        return f"set {' or '.join(self.variables)}"


class LlmProvider(Section):
    """`script` and `pace_seconds` are for the scripted one, all else for the others. Some types have keys of their own.

    Once it is loaded, paths are absolute, and key and address are those that will be used, from wherever they came.
    """

    type: Annotated[str, one_of(PROVIDER_TYPES)]
    script: Annotated[tuple[Path, ...], BeforeValidator(one_or_several)] = ()
    pace_seconds: float = Field(0.0, ge=0)
    model: str = ""
    api_key: SecretStr | None = None
    api_key_env: Name | None = None
    base_url: str | None = None
    thinking: Literal["off", "low", "medium", "high"] | None = None
    max_output_tokens: Positive | None = None
    context_tokens: Positive | None = None
    native_tools: NativeTools = NativeTools()
    project: Name | None = None
    project_env: Name | None = None
    location: Name | None = None
    location_env: Name | None = None
    credentials: SecretStr | None = None
    credentials_env: Name | None = None
    api_version: Name | None = None
    region: Name | None = None
    profile: Name | None = None
    role_arn: Name | None = None
    base_model: Name | None = None

    @property
    def scripts(self) -> tuple[Path, ...]:
        return self.script

    @property
    def usable(self) -> bool:
        """It can be asked, as far as is known before."""
        return self.lack is None

    @property
    def lack(self) -> "Lack | None":
        """A script needs nothing, a server of one's own perhaps no key; credentials of a cloud are found later."""
        kind = PROVIDER_TYPES[self.type]
        for key in kind.required:
            if getattr(self, key) is None:
                return Lack(key, self._variables_of(key))
        keyed = self.api_key is not None or self.base_url is not None or bool(kind.required)
        return None if self.type == "scripted" or keyed else Lack("API key", self.key_variables)

    @property
    def offered_native_tools(self) -> tuple[NativeTool, ...]:
        """Those that its type and model have, whether wanted or not."""
        return PROVIDER_TYPES[self.type].native_tools(self.model)

    @property
    def cloud(self) -> Mapping[str, str]:
        """The keys that only its type has, with their values."""
        found = {key: getattr(self, key) for key in PROVIDER_TYPES[self.type].options}
        return {
            key: value.get_secret_value() if isinstance(value, SecretStr) else value
            for key, value in found.items()
            if value is not None
        }

    def _variables_of(self, key: str) -> tuple[str, ...]:
        kind = PROVIDER_TYPES[self.type]
        named: str | None = getattr(self, f"{key}_env", None)
        return (named,) if named else kind.options.get(key, (kind.address_variable,))

    @property
    def known_context_tokens(self) -> int | None:
        """The tokens that it can read at once; None where only its refusals can tell."""
        of_model = (tokens for part, tokens in CONTEXT_TOKENS_OF_MODELS.items() if part in self._known_model)
        by_model = next(of_model, None) if PROVIDER_TYPES[self.type].required else None
        return self.context_tokens or CONTEXT_TOKENS.get(self.type) or by_model

    @property
    def context_tokens_in_use(self) -> int:
        """The tokens that it can read at once, or surely can."""
        return self.known_context_tokens or DEFAULT_CONTEXT_TOKENS

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables that are asked for a key, the first one first."""
        return (self.api_key_env,) if self.api_key_env else PROVIDER_TYPES[self.type].key_variables

    def with_environment(self, environ: Mapping[str, str]) -> "LlmProvider":
        """With key and address from the environment, where the file does not have them."""
        found = [environ[name] for name in self.key_variables if environ.get(name)]
        key = self.api_key or (SecretStr(found[0]) if found else None)
        address = self.base_url or environ.get(PROVIDER_TYPES[self.type].address_variable) or None
        cloud = {key: self._option(key, environ) for key in PROVIDER_TYPES[self.type].options}
        return self.model_copy(update={"api_key": key, "base_url": address, **cloud})

    def _option(self, key: str, environ: Mapping[str, str]) -> "str | SecretStr | None":
        configured: str | SecretStr | None = getattr(self, key)
        found = next((environ[name] for name in self._variables_of(key) if environ.get(name)), None)
        if configured is not None or found is None:
            return configured
        return SecretStr(found) if key == "credentials" else found

    @property
    def _known_model(self) -> str:
        return self.base_model or self.model

    @model_validator(mode="after")
    def _require_keys_of_type(self) -> "LlmProvider":
        scripted = self.type == "scripted"
        options = PROVIDER_TYPES[self.type].options
        of_clouds = {key for key in self.model_fields_set if key.removesuffix("_env") in CLOUD_KEYS - options.keys()}
        foreign = self.model_fields_set & (MODEL_KEYS if scripted else SCRIPT_KEYS) | of_clouds
        for key in sorted(foreign):
            raise wrong(f"is not a key of a provider of type {self.type}", "remove it", key=key)
        if scripted and not self.script:
            raise wrong("names no script", "add script: PATH", key="type")
        if not scripted and not self.model:
            raise wrong("names no model", "add model: NAME, as the provider calls it", key="type")
        if self.base_url is not None and not _is_address(self.base_url):
            raise wrong("is not an address", "write it as https://HOST/PATH", key="base_url")
        return self


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
