"""Paths of sections in `tarsy.yaml`, as patterns, and what fits them in the plain data."""

from collections.abc import Iterator

from tarsy_config.document import Document, Plain
from tarsy_config.errors import Place

ANY = "*"
DEFAULTS: Place = ("defaults",)
AGENT_DEFAULTS: Place = (*DEFAULTS, "agents", ANY)
AGENT: Place = ("agents", ANY)
CHAIN: Place = ("agent_chains", ANY)
STAGE: Place = (*CHAIN, "stages", ANY)
STAGE_AGENT: Place = (*STAGE, "agents", ANY)
SYNTHESIS: Place = (*STAGE, "synthesis")
CHAT: Place = (*CHAIN, "chat")
SUMMARIES: tuple[Place, ...] = ((*DEFAULTS, "executive_summary"), (*CHAIN, "executive_summary"))
MODEL: tuple[Place, ...] = (CHAIN, STAGE_AGENT, SYNTHESIS, CHAT, AGENT_DEFAULTS, *SUMMARIES)
"""Sections that may name a provider, and whom to ask in its stead."""


def named(document: Document, patterns: tuple[Place, ...]) -> Iterator[tuple[Place, str]]:
    """Every name at these places."""
    for pattern in patterns:
        for place, name in found(document.data, pattern):
            if isinstance(name, str):
                yield place, name


def found(data: Plain, pattern: Place, place: Place = ()) -> Iterator[tuple[Place, Plain]]:
    """Every place of the data that fits the pattern, with what is there."""
    if not pattern:
        yield place, data
        return
    part, rest = pattern[0], pattern[1:]
    for key, value in _inside(data):
        if part in (ANY, key):
            yield from found(value, rest, (*place, key))


def _inside(data: Plain) -> Iterator[tuple[str | int, Plain]]:
    if isinstance(data, dict):
        yield from data.items()
    elif isinstance(data, list):
        yield from enumerate(data)
