"""Names in the configuration that stand for something else in it.

They are looked up in the plain data, not in the models, so that a mistake elsewhere does not hide these.
"""

from collections.abc import Mapping, Set

from tarsy_config.agent_options import SETTINGS
from tarsy_config.document import Document
from tarsy_config.errors import Place, suggestion
from tarsy_config.key_paths import ANY, CHAIN, CHAT, MODEL, STAGE_AGENT, SYNTHESIS, named

DEFAULT_PROVIDERS: tuple[Place, ...] = (("defaults", "llm_provider"), ("defaults", "llm_provider", ANY))
SERVERS: tuple[Place, ...] = tuple((*place, "mcp_servers", ANY) for place in SETTINGS["mcp_servers"].at)
WITH_FALLBACKS = SETTINGS["fallback_providers"].at
FALLBACKS: tuple[Place, ...] = (
    *((*place, "fallback_providers", ANY) for place in WITH_FALLBACKS),
    ("fallback_lists", ANY, ANY),
)
AGENTS: tuple[Place, ...] = ((*STAGE_AGENT, "name"), (*SYNTHESIS, "agent"))
RECEIVER_CHAINS: Place = ("notifications", ANY, "chains", ANY)
PROVIDERS: tuple[Place, ...] = (
    *DEFAULT_PROVIDERS,
    *((*place, "llm_provider") for place in (*MODEL, *FALLBACKS)),
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
