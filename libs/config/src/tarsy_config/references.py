"""Names in the configuration that stand for something else in it.

They are looked up in the plain data, not in the models, so that a mistake elsewhere does not hide these.
"""

from collections.abc import Iterator, Mapping, Set

from tarsy_config.document import Document, Plain
from tarsy_config.errors import Place, suggestion

ANY = "*"
CHAIN: Place = ("agent_chains", ANY)
STAGE: Place = (*CHAIN, "stages", ANY)
STAGE_AGENT: Place = (*STAGE, "agents", ANY)
CHAT: Place = (*CHAIN, "chat")
DEFAULT_PROVIDERS: tuple[Place, ...] = (("defaults", "llm_provider"), ("defaults", "llm_provider", ANY))
SERVERS: tuple[Place, ...] = tuple(
    (*place, "mcp_servers", ANY) for place in (("agents", ANY), CHAIN, STAGE, STAGE_AGENT, CHAT)
)
SYNTHESIS: Place = (*STAGE, "synthesis")
AGENT_DEFAULTS: Place = ("defaults", "agents", ANY)
SUMMARIES: tuple[Place, ...] = (("defaults", "executive_summary"), (*CHAIN, "executive_summary"))
CHOICES: tuple[Place, ...] = (CHAIN, STAGE_AGENT, SYNTHESIS, CHAT, AGENT_DEFAULTS, *SUMMARIES)
"""Sections that may name a provider, and whom to ask in its stead."""
WITH_FALLBACKS: tuple[Place, ...] = (("defaults",), STAGE, *CHOICES)
FALLBACKS: tuple[Place, ...] = (
    *((*place, "fallback_providers", ANY) for place in WITH_FALLBACKS),
    ("fallback_lists", ANY, ANY),
)
AGENTS: tuple[Place, ...] = ((*STAGE_AGENT, "name"), (*SYNTHESIS, "agent"))
RECEIVER_CHAINS: Place = ("notifications", ANY, "chains", ANY)
PROVIDERS: tuple[Place, ...] = (
    *DEFAULT_PROVIDERS,
    *((*place, "llm_provider") for place in (*CHOICES, *FALLBACKS)),
    *((*place, "summarization", "llm_provider") for place in (("defaults",), ("mcp_servers", ANY))),
    (*CHAIN, "executive_summary_provider"),
    *FALLBACKS,
    *((*place, "provider") for place in FALLBACKS),
)
REFERENCES: tuple[tuple[str, tuple[Place, ...]], ...] = (
    ("mcp_servers", SERVERS),
    ("agents", (*AGENTS, (*CHAT, "agent"))),
    ("llm_providers", PROVIDERS),
    ("agent_chains", (RECEIVER_CHAINS,)),
    ("fallback_lists", tuple((*place, "fallback_list") for place in WITH_FALLBACKS)),
)
"""The section that must define a name, and where the name stands."""


def check_references(document: Document, known: Mapping[str, Set[str]], built_in: Mapping[str, Set[str]]) -> None:
    """`known`: the names that each section defines, over all files."""
    for section, patterns in REFERENCES:
        for place, name in named(document, patterns):
            if name and name not in known[section] | built_in[section]:
                remedy = suggestion(name, known[section], built_in=built_in[section])
                document.wrong(place, f"{section} has no {name}", remedy)


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
