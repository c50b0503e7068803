"""API keys and what clouds need: asked for only where models are asked, so that nobody else has to be given them."""

from collections.abc import Mapping, Sequence

from tarsy_config.checks.references import PROVIDERS
from tarsy_config.config import Config
from tarsy_config.document.key_paths import find_names, find_values
from tarsy_config.document.plain_data import Document
from tarsy_config.sections.providers import Lack


def keys_are_set(documents: Sequence[Document], config: Config, environ: Mapping[str, str]) -> None:
    """A check for `load_config`: every provider that an investigation will ask can be used."""
    for name, lack in incomplete_providers(config).items():
        problem, remedy = f"has no {lack.what}", f"{lack.remedy} in the environment of this service"
        for document in documents:
            for path, _ in find_values(document.data, ("llm_providers", name)):
                document.wrong(path, problem, remedy)
        if not config.sources.defines(("llm_providers", name)):
            document, path = _find_first_mention(documents, name)
            document.wrong(path, f"{name} {problem}", remedy)


def incomplete_providers(config: Config) -> dict[str, Lack]:
    """Those that an investigation will ask in vain."""
    lacks = {name: config.llm_providers[name].lack for name in sorted(config.llm_providers_in_use)}
    return {name: lack for name, lack in lacks.items() if lack is not None}


def _find_first_mention(documents: Sequence[Document], name: str) -> tuple[Document, tuple[str | int, ...]]:
    """A built-in provider has no line of its own: the line is that of the section that names it."""
    for document in documents:
        for path, mentioned in find_names(document, PROVIDERS):
            if mentioned == name:
                return document, path
    return documents[0], ("llm_providers", name)
