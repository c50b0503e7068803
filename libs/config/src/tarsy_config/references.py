"""Names in the configuration that stand for something else in it.

They are looked up in the plain data, not in the models, so that a mistake elsewhere does not hide these.
"""

from collections.abc import Iterator, Mapping

from tarsy_config.document import Document, Plain
from tarsy_config.mistakes import Place, suggestion
from tarsy_config.values import DEFAULT_ALERT_TYPE

ANY = "*"
REFERENCES: tuple[tuple[Place, str], ...] = (
    (("agents", ANY, "mcp_servers", ANY), "mcp_servers"),
    (("agent_chains", ANY, "stages", ANY, "agents", ANY, "name"), "agents"),
    (("agent_chains", ANY, "stages", ANY, "agents", ANY, "llm_provider"), "llm_providers"),
    (("defaults", "llm_provider"), "llm_providers"),
    (("defaults", "llm_provider", ANY), "llm_providers"),
    (("defaults", "summarization", "llm_provider"), "llm_providers"),
)
"""Where a name stands, and the section that must define it."""


def check_references(document: Document, known: Mapping[str, set[str]]) -> None:
    """`known`: the names that each section defines, over all files."""
    for pattern, section in REFERENCES:
        for place, name in found(document.data, pattern):
            if isinstance(name, str) and name not in known[section]:
                document.wrong(place, f"{section} has no {name}", suggestion(name, known[section]))
    _alert_types(document)
    _providers_missing(document)


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


def _alert_types(document: Document) -> None:
    """Each is named once over all chains, and the default one is named."""
    first: dict[str, Place] = {}
    for place, kind in found(document.data, ("agent_chains", ANY, "alert_types", ANY)):
        if not isinstance(kind, str):
            continue
        if kind in first:
            chain = first[kind][1]
            document.wrong(place, f"the alert type {kind} belongs to the chain {chain} already", "keep one of them")
        first.setdefault(kind, place)
    chosen = [kind for _, kind in found(document.data, ("defaults", "alert_type"))]
    default = chosen[0] if chosen else DEFAULT_ALERT_TYPE
    if isinstance(default, str) and default not in first:
        at: Place = ("defaults", "alert_type") if chosen else ("agent_chains",)
        document.wrong(at, f"no chain names the default alert type {default}", suggestion(default, first))


def _providers_missing(document: Document) -> None:
    if any(found(document.data, ("defaults", "llm_provider"))):
        return
    for place, agent in found(document.data, ("agent_chains", ANY, "stages", ANY, "agents", ANY)):
        if isinstance(agent, dict) and "llm_provider" not in agent:
            document.wrong(place, "has no llm_provider", "name one here, or in defaults.llm_provider")
