"""Cross-checks between the parts of a configuration, beside names: made on the plain data, as those of names are."""

from collections.abc import Sequence, Set

from tarsy_config import built_in
from tarsy_config.chain_order import check_order, placed_rules
from tarsy_config.document import Document, Plain
from tarsy_config.errors import Place, suggestion
from tarsy_config.references import AGENTS, ANY, CHAIN, DEFAULT_PROVIDERS, PROVIDERS, STAGE_AGENT, found, named
from tarsy_config.routing import ChainRule
from tarsy_config.values import DEFAULT_ALERT_TYPE

DOOR_TYPE: Place = ("alert_doors", ANY, "alert_type")
LATER_TYPES = frozenset({"action", "scoring"})


def check_coherence(document: Document, later_providers: Set[str]) -> None:
    """`later_providers`: those that are defined, and that nothing can ask yet."""
    _alert_types(document)
    _providers_are_named(document)
    _providers_are_known(document, later_providers)
    _agents_are_known(document)


def built_in_chains(rules: Sequence[ChainRule], defined: Set[str], default_alert_type: str) -> list[str]:
    """The built-in chains that count: those for the default alert type, when nobody's own chain is for it."""
    if any(default_alert_type in rule.alert_types or rule.takes_all_of(default_alert_type) for rule in rules):
        return []
    return [
        chain_id
        for chain_id, chain in built_in.CHAINS.items()
        if chain_id not in defined and default_alert_type in chain.alert_types
    ]


def _alert_types(document: Document) -> None:
    """Those that are asked for are named, and no chain stands where the chains before it leave no alert to it."""
    check_order(document)
    rules = placed_rules(document)
    first = {kind: place for rule in reversed(rules) for place, kind in rule.types}
    for place, kind in named(document, (DOOR_TYPE,)):
        if kind not in first:
            document.wrong(place, f"no chain names the alert type {kind}", suggestion(kind, first))
    default = _default_alert_type(document)
    if not isinstance(default, str) or _counting_built_ins(document):
        return
    if not any(placed.rule.takes_all_of(default) for placed in rules) and default in first:
        problem = f"no chain takes the alerts that none matches: each for {default} has match"
        document.wrong(first[default], problem, "add a chain for it without match, or with an empty one, at the end")
    elif not any(placed.rule.takes_all_of(default) for placed in rules):
        chosen = any(found(document.data, ("defaults", "alert_type")))
        at: Place = ("defaults", "alert_type") if chosen else ("agent_chains",)
        document.wrong(at, f"no chain names the default alert type {default}", suggestion(default, first))


def _default_alert_type(document: Document) -> Plain:
    chosen = [kind for _, kind in found(document.data, ("defaults", "alert_type"))]
    return chosen[0] if chosen else DEFAULT_ALERT_TYPE


def _counting_built_ins(document: Document) -> list[str]:
    rules = [placed.rule for placed in placed_rules(document)]
    defined = {str(place[1]) for place, _ in found(document.data, CHAIN)}
    default = _default_alert_type(document)
    return built_in_chains(rules, defined, default) if isinstance(default, str) else []


def _providers_are_named(document: Document) -> None:
    if any(named(document, DEFAULT_PROVIDERS)):
        return
    with_one = {place[:2] for place, _ in named(document, ((*CHAIN, "llm_provider"),))}
    for place, agent in found(document.data, STAGE_AGENT):
        if isinstance(agent, dict) and not agent.get("llm_provider") and place[:2] not in with_one:
            document.wrong(place, "has no llm_provider", "name one here, or in defaults.llm_provider")
    for chain_id in _counting_built_ins(document):
        problem = f"is missing, and the built-in chain {chain_id} needs it"
        document.wrong(("defaults", "llm_provider"), problem, "name a provider, such as google-default")


def _providers_are_known(document: Document, later_providers: Set[str]) -> None:
    """One default that can be asked is enough; the others are not checked then."""
    defaults = {name for _, name in named(document, DEFAULT_PROVIDERS)}
    spared = DEFAULT_PROVIDERS if defaults - later_providers else ()
    for place, name in named(document, tuple(pattern for pattern in PROVIDERS if pattern not in spared)):
        if name in later_providers:
            problem = f"{name} is of type vertexai, which comes with a later version"
            document.wrong(place, problem, "use a provider of another type, such as google with an API key")


def _agents_are_known(document: Document) -> None:
    """An agent that acts must not run as one that only looks: it would act without its rules."""
    types = {place[1]: kind for place, kind in named(document, (("agents", ANY, "type"),))}
    for place, name in named(document, AGENTS):
        _refuse(document, place, types.get(name))
    for place, kind in named(document, ((*STAGE_AGENT, "type"),)):
        _refuse(document, place, kind)


def _refuse(document: Document, place: Place, kind: str | None) -> None:
    if kind in LATER_TYPES:
        document.wrong(place, f"an agent of type {kind} in a chain comes with a later version", "take it out")
