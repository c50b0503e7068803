"""API keys: asked for only where models are asked, so that nobody else has to be given them."""

from collections.abc import Mapping, Sequence

from tarsy_config.config import Config
from tarsy_config.document import Document
from tarsy_config.references import found


def keys_are_set(documents: Sequence[Document], config: Config, environ: Mapping[str, str]) -> None:
    """A check for `load_config`: every provider that an investigation will ask can be used."""
    if any(document.mistakes for document in documents):
        return  # which providers are asked is not known before the names are right
    for name in sorted(config.llm_providers_in_use):
        provider = config.llm_providers[name]
        if provider.usable:
            continue
        for document in documents:
            for place, _ in found(document.data, ("llm_providers", name)):
                variables = " or ".join(provider.key_variables)
                document.wrong(place, "has no API key", f"set {variables} in the environment of this service")
