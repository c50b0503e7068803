"""Paths of sections in `tarsy.yaml`, as patterns, and what fits them in the plain data."""

from collections.abc import Iterator

from tarsy_config.document.plain_data import Document, Plain
from tarsy_config.errors import KeyPath

ANY = "*"
DEFAULTS: KeyPath = ("defaults",)
AGENT_DEFAULTS: KeyPath = (*DEFAULTS, "agents", ANY)
AGENT: KeyPath = ("agents", ANY)
CHAIN: KeyPath = ("agent_chains", ANY)
STAGE: KeyPath = (*CHAIN, "stages", ANY)
STAGE_AGENT: KeyPath = (*STAGE, "agents", ANY)
SYNTHESIS: KeyPath = (*STAGE, "synthesis")
CHAT: KeyPath = (*CHAIN, "chat")
SUMMARIES: tuple[KeyPath, ...] = tuple(
    (*at, key) for key in ("executive_summary", "compose", "scoring") for at in (DEFAULTS, CHAIN)
)
MEMORY: KeyPath = (*DEFAULTS, "memory")
MODEL: tuple[KeyPath, ...] = (CHAIN, STAGE_AGENT, SYNTHESIS, CHAT, AGENT_DEFAULTS, MEMORY, *SUMMARIES)
"""Sections that may name a provider, and whom to ask in its stead."""
SENDERS: tuple[KeyPath, ...] = (DEFAULTS, AGENT, CHAIN, STAGE, STAGE_AGENT, CHAT)
"""Sections that may name sub-agents."""
SUB_AGENTS: tuple[KeyPath, ...] = tuple((*place, "sub_agents", ANY) for place in SENDERS)


def find_names(document: Document, patterns: tuple[KeyPath, ...]) -> Iterator[tuple[KeyPath, str]]:
    """Every name at these places."""
    for pattern in patterns:
        for path, name in find_values(document.data, pattern):
            if isinstance(name, str):
                yield path, name


def find_values(data: Plain, pattern: KeyPath, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Plain]]:
    """Every place of the data that fits the pattern, with what is there."""
    if not pattern:
        yield path, data
        return
    part, rest = pattern[0], pattern[1:]
    for key, value in _inside(data):
        if part in (ANY, key):
            yield from find_values(value, rest, (*path, key))


def _inside(data: Plain) -> Iterator[tuple[str | int, Plain]]:
    if isinstance(data, dict):
        yield from data.items()
    elif isinstance(data, list):
        yield from enumerate(data)
