"""API keys: asked for only where models are asked, so that nobody else has to be given them."""

from collections.abc import Mapping, Sequence

from tarsy_config.config import Config
from tarsy_config.document import Document
from tarsy_config.key_paths import found, named
from tarsy_config.providers import LlmProvider
from tarsy_config.references import PROVIDERS


def keys_are_set(documents: Sequence[Document], config: Config, environ: Mapping[str, str]) -> None:
    """A check for `load_config`: every provider that an investigation will ask can be used."""
    for name, provider in providers_without_key(config).items():
        remedy = f"set {' or '.join(provider.key_variables)} in the environment of this service"
        for document in documents:
            for place, _ in found(document.data, ("llm_providers", name)):
                document.wrong(place, "has no API key", remedy)
        if not config.sources.defines(("llm_providers", name)):
            document, place = _first_mention(documents, name)
            document.wrong(place, f"{name} has no API key", remedy)


def providers_without_key(config: Config) -> dict[str, LlmProvider]:
    """Those that an investigation will ask in vain."""
    asked = {name: config.llm_providers[name] for name in sorted(config.llm_providers_in_use)}
    return {name: provider for name, provider in asked.items() if not provider.usable}


def _first_mention(documents: Sequence[Document], name: str) -> tuple[Document, tuple[str | int, ...]]:
    """A provider that is built in has no line of its own: whoever names it has."""
    for document in documents:
        for place, mentioned in named(document, PROVIDERS):
            if mentioned == name:
                return document, place
    return documents[0], ("llm_providers", name)
