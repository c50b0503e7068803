"""Providers of type `vertexai`: they may be defined, but nothing can ask them yet."""

from collections.abc import Iterator

from tarsy_config.document.key_paths import ANY, find_values
from tarsy_config.document.plain_data import Document, Plain
from tarsy_config.errors import suggestion

TYPE = "vertexai"
KEYS = frozenset(
    {
        "type", "model", "project_env", "location_env", "credentials_env", "base_url", "native_tools", "api_key_env",
        "thinking",
    }
)  # fmt: skip


def strip_vertex(document: Document) -> set[str]:
    """The names of those that the document defines, which it does no longer when this returns."""
    taken = set()
    for name, provider in _vertex_providers(document):
        for key in provider.keys() - KEYS:
            document.wrong(("llm_providers", name, key), "unknown key", suggestion(key, KEYS))
        document.note(
            ("llm_providers", name), f"has no effect yet: the provider type {TYPE} comes with a later version"
        )
        taken.add(name)
    for _, providers in find_values(document.data, ("llm_providers",)):
        if isinstance(providers, dict):
            for name in taken:
                providers.pop(name)
    return taken


def _vertex_providers(document: Document) -> Iterator[tuple[str, dict[str, Plain]]]:
    for path, provider in find_values(document.data, ("llm_providers", ANY)):
        if isinstance(provider, dict) and provider.get("type") == TYPE:
            yield str(path[1]), provider
