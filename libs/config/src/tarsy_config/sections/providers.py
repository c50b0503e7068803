"""`llm_providers`: which models can be asked, and how."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from tarsy_config.values import Name, Positive, Section, one_of, one_or_several, wrong
from tarsy_contracts.chain import NATIVE_TOOLS, NativeTool
from tarsy_llm.providers import PROVIDER_TYPES

SCRIPT_KEYS = frozenset({"script", "pace_seconds"})
MODEL_KEYS = frozenset(
    {"model", "api_key", "api_key_env", "base_url", "thinking", "max_output_tokens", "context_tokens", "native_tools"}
)
DEFAULT_CONTEXT_TOKENS = 128_000
CONTEXT_TOKENS: Mapping[str, int] = {"google": 1_000_000, "anthropic": 200_000}
"""By type, where the models of today agree. All others, and those of one's own, have the default or say it."""


NATIVE_TOOLS_OF: Mapping[str, tuple[NativeTool, ...]] = {
    "google": NATIVE_TOOLS,
    "anthropic": ("google_search",),
    "openai": ("google_search",),
}
"""By type: what of `native_tools` we ask it for. `google_search` is its own web search, whoever it is."""


class NativeTools(Section):
    """Tools that the provider itself runs. None: as the more general level says, finally no."""

    google_search: bool | None = None
    url_context: bool | None = None
    code_execution: bool | None = None


class LlmProvider(Section):
    """`script` and `pace_seconds` are for the scripted one, all else for the others.

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

    @property
    def scripts(self) -> tuple[Path, ...]:
        return self.script

    @property
    def usable(self) -> bool:
        """It can be asked: a script needs nothing, a server of one's own perhaps no key."""
        return self.type == "scripted" or self.api_key is not None or self.base_url is not None

    @property
    def known_context_tokens(self) -> int | None:
        """The tokens that it can read at once; None where only its refusals can tell."""
        return self.context_tokens or CONTEXT_TOKENS.get(self.type)

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
        return self.model_copy(update={"api_key": key, "base_url": address})

    @model_validator(mode="after")
    def _require_keys_of_type(self) -> "LlmProvider":
        scripted = self.type == "scripted"
        foreign = self.model_fields_set & (MODEL_KEYS if scripted else SCRIPT_KEYS)
        for key in sorted(foreign):
            raise wrong(f"is no key of a provider of type {self.type}", "remove it", key=key)
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
