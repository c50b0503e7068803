"""Stand-ins for a provider that fails: a list at the place itself, or the name of one in `fallback_lists`."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from tarsy_config.values import Backend, Name, Section, to_sections, wrong

GO_TARSY_KEYS = {"llm_provider": "provider", "llm_backend": "backend"}
"""Keys of an entry of Go TARSy's `fallback_lists`, and those of its `fallback_providers`."""


class Fallback(Section):
    """Whom to ask when the provider before it fails."""

    provider: Name
    backend: Backend | None = None


def read_fallbacks(value: object) -> object:
    """A list of sections, or of names."""
    sections = to_sections(value, "provider")
    return tuple(map(_rename_go_tarsy_keys, sections)) if isinstance(sections, tuple) else sections


def _rename_go_tarsy_keys(item: object) -> object:
    if not isinstance(item, dict) or item.keys() & set(GO_TARSY_KEYS.values()):
        return item
    return {GO_TARSY_KEYS.get(key, key): value for key, value in item.items()}


type Fallbacks = Annotated[tuple[Fallback, ...], BeforeValidator(read_fallbacks)]


class FallbackChoice(Section):
    """`fallback_list`: the name of a list in `fallback_lists`; an empty one says nothing."""

    fallback_providers: Fallbacks | None = None
    fallback_list: str | None = None

    @model_validator(mode="after")
    def _require_one_of_both(self) -> Self:
        if self.fallback_list and self.fallback_providers is not None:
            raise wrong("stands beside fallback_providers", "keep one of them", key="fallback_list")
        return self


class ModelChoice(FallbackChoice):
    """The provider of an agent, or of a job that no stage names, and those that are asked in its stead."""

    llm_provider: Name | None = None
    llm_backend: Backend | None = None


class Scoring(ModelChoice):
    """The judge of finished investigations. It is asked where it has a provider of its own, unless `enabled` says so.

    `rate`: the share of sessions that are judged by themselves; people may ask for others.
    """

    enabled: bool | None = None
    agent: Name | None = None
    rate: float | None = Field(None, ge=0, le=1)


class Compose(ModelChoice):
    """The agent that writes the amended report after the last stage that acts."""

    enabled: bool | None = None
