"""Cross-checks between the parts of a configuration, beside names: made on the plain data, as those of names are."""

from collections.abc import Mapping, Sequence, Set

from tarsy_config import built_in
from tarsy_config.chain_order import check_order, placed_rules
from tarsy_config.chains import LATER_TYPES
from tarsy_config.document import Document, Plain
from tarsy_config.errors import Place, suggestion
from tarsy_config.key_paths import AGENT_DEFAULTS, ANY, CHAIN, STAGE_AGENT, SYNTHESIS, found, named
from tarsy_config.references import DEFAULT_PROVIDERS, PROVIDERS
from tarsy_config.routing import ChainRule
from tarsy_config.values import DEFAULT_ALERT_TYPE

FALLBACK_KEYS = frozenset({"fallback_providers", "fallback_lists"})
DOOR_TYPE: Place = ("alert_doors", ANY, "alert_type")


def check_coherence(document: Document, agents: Set[str], later_providers: Set[str]) -> None:
    """`agents`: all that can be named. `later_providers`: those that are defined, and that nothing can ask yet."""
    _alert_types(document)
    _providers_are_named(document)
    _providers_are_known(document, later_providers)
    _agents_are_known(document, agents)


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
    paired = {place[2] for place, _ in named(document, ((*AGENT_DEFAULTS, "llm_provider"),))}
    for place, agent in found(document.data, STAGE_AGENT):
        if not isinstance(agent, dict) or agent.get("llm_provider") or place[:2] in with_one:
            continue
        if str(agent.get("name")) not in paired:
            document.wrong(place, "has no llm_provider", "name one here, or in defaults.llm_provider")
    for chain_id in _counting_built_ins(document):
        problem = f"is missing, and the built-in chain {chain_id} needs it"
        document.wrong(("defaults", "llm_provider"), problem, "name a provider, such as google-default")


def _providers_are_known(document: Document, later_providers: Set[str]) -> None:
    """One default that can be asked is enough; the others are not checked then."""
    defaults = {name for _, name in named(document, DEFAULT_PROVIDERS)}
    spared = DEFAULT_PROVIDERS if defaults - later_providers else ()
    for place, name in named(document, tuple(pattern for pattern in PROVIDERS if pattern not in spared)):
        if name not in later_providers:
            continue
        if not FALLBACK_KEYS.isdisjoint(place):
            document.note(place, f"is not asked yet: {name} is of type vertexai, which comes with a later version")
        else:
            problem = f"{name} is of type vertexai, which comes with a later version"
            document.wrong(place, problem, "use a provider of another type, such as google with an API key")


def _agents_are_known(document: Document, agents: Set[str]) -> None:
    """An agent that acts must not run as one that only looks: it would act without its rules. So it does not run."""
    types = {place[1]: kind for place, kind in named(document, (("agents", ANY, "type"),))}
    for place, name in named(document, ((*SYNTHESIS, "agent"),)):
        if types.get(name) in LATER_TYPES:
            document.wrong(place, f"an agent of type {types[name]} cannot make one analysis of several", "take it out")
    for place, _ in found(document.data, AGENT_DEFAULTS):
        if place[2] not in agents:
            document.wrong(place, f"agents has no {place[2]}", suggestion(str(place[2]), agents))
    for place, chain in found(document.data, CHAIN):
        _note_who_runs_later(document, place, chain, types)


def _note_who_runs_later(document: Document, place: Place, chain: Plain, types: Mapping[str | int, str]) -> None:
    pattern = STAGE_AGENT[len(CHAIN) :]
    kinds = {(*place, *at): _later_type(agent, types) for at, agent in found(chain, pattern)}
    later = {at: kind for at, kind in kinds.items() if kind is not None}
    if later and len(later) == len(kinds):
        problem = "has only agents of types that come with a later version"
        document.wrong((*place, "stages"), problem, "add a stage with an agent that investigates")
        return
    for at, kind in later.items():
        document.note(at, f"does not run yet: agents of type {kind} come with a later version")


def _later_type(agent: Plain, types: Mapping[str | int, str]) -> str | None:
    if not isinstance(agent, dict):
        return None
    kinds = (str(agent.get("type")), types.get(str(agent.get("name")), ""))
    return next((kind for kind in kinds if kind in LATER_TYPES), None)
