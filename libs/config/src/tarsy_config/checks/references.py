"""Names in the configuration that stand for something else in it.

They are looked up in the plain data, not in the models, so that a mistake elsewhere does not hide these.
"""

from collections.abc import Mapping, Set

from tarsy_config.document.key_paths import ANY, CHAIN, CHAT, MODEL, STAGE_AGENT, SUB_AGENTS, SYNTHESIS, find_names
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath, suggestion
from tarsy_config.sections.agent_options import SETTINGS

DEFAULT_PROVIDERS: tuple[KeyPath, ...] = (("defaults", "llm_provider"), ("defaults", "llm_provider", ANY))
SERVERS: tuple[KeyPath, ...] = (
    *((*place, "mcp_servers", ANY) for place in (*SETTINGS["mcp_servers"].at, *SUB_AGENTS)),
    *((*place, "verify", "server") for place in (("defaults",), CHAIN)),
)
SKILL_KEYS = ("skills", "required_skills")
WITH_FALLBACKS = (*SETTINGS["fallback_providers"].at, *SUB_AGENTS, ("defaults", "summarization"))
FALLBACKS: tuple[KeyPath, ...] = (
    *((*place, "fallback_providers", ANY) for place in WITH_FALLBACKS),
    ("fallback_lists", ANY, ANY),
)
AGENTS: tuple[KeyPath, ...] = (
    (*STAGE_AGENT, "name"),
    (*SYNTHESIS, "agent"),
    *SUB_AGENTS,
    *((*place, "name") for place in SUB_AGENTS),
)
RECEIVER_CHAINS: KeyPath = ("notifications", ANY, "chains", ANY)
PROVIDERS: tuple[KeyPath, ...] = (
    *DEFAULT_PROVIDERS,
    *((*place, "llm_provider") for place in (*MODEL, *SUB_AGENTS, *FALLBACKS)),
    *((*place, "summarization", "llm_provider") for place in (("defaults",), ("mcp_servers", ANY))),
    (*CHAIN, "executive_summary_provider"),
    *FALLBACKS,
    *((*place, "provider") for place in FALLBACKS),
)
REFERENCES: tuple[tuple[str, tuple[KeyPath, ...]], ...] = (
    ("mcp_servers", SERVERS),
    ("agents", (*AGENTS, (*CHAT, "agent"))),
    ("llm_providers", PROVIDERS),
    ("agent_chains", (RECEIVER_CHAINS,)),
    ("skills", tuple((*place, key, ANY) for key in SKILL_KEYS for place in (*SETTINGS[key].at, *SUB_AGENTS))),
    ("label_maps", tuple((*place, "label_map") for place in (("defaults",), CHAIN))),
    ("fallback_lists", tuple((*place, "fallback_list") for place in WITH_FALLBACKS)),
)
"""The section that must define a name, and where the name stands."""


def check_references(document: Document, known: Mapping[str, Set[str]], built_in: Mapping[str, Set[str]]) -> None:
    """`known`: the names that each section defines, over all files."""
    for section, patterns in REFERENCES:
        for path, name in find_names(document, patterns):
            if name and name not in known[section] | built_in[section]:
                remedy = suggestion(name, known[section], built_in=built_in[section])
                document.wrong(path, f"{section} has no {name}", remedy)
