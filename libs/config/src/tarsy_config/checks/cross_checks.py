"""Cross-checks between the parts of a configuration, beside names: made on the plain data, as those of names are."""

from collections.abc import Mapping, Sequence, Set

from tarsy_config.checks.chain_order import check_order, read_rules
from tarsy_config.checks.references import DEFAULT_PROVIDERS
from tarsy_config.document.key_paths import (
    AGENT_DEFAULTS,
    ANY,
    CHAIN,
    STAGE_AGENT,
    SUB_AGENTS,
    SYNTHESIS,
    find_names,
    find_values,
)
from tarsy_config.document.plain_data import Document, Plain
from tarsy_config.errors import KeyPath, suggestion
from tarsy_config.plans.routing import ChainRule
from tarsy_config.sections import built_in
from tarsy_config.sections.chains import LATER_TYPES, NEVER_SENT
from tarsy_config.values import DEFAULT_ALERT_TYPE

DOOR_TYPE: KeyPath = ("alert_doors", ANY, "alert_type")


def check_coherence(document: Document, agents: Set[str]) -> None:
    """`agents`: all that can be named."""
    _alert_types(document)
    _providers_are_named(document)
    _agents_are_known(document, agents)


def select_built_in_chains(rules: Sequence[ChainRule], defined: Set[str], default_alert_type: str) -> list[str]:
    """The built-in chains that count: those for the default alert type, when nobody's own chain is for it."""
    if any(default_alert_type in rule.alert_types or rule.takes_all_of(default_alert_type) for rule in rules):
        return []
    return [
        chain_id
        for chain_id, chain in built_in.CHAINS.items()
        if chain_id not in defined and default_alert_type in chain.alert_types
    ]


def _alert_types(document: Document) -> None:
    """Requested names exist, and no chain is unreachable behind the chains before it."""
    check_order(document)
    rules = read_rules(document)
    first = {kind: path for rule in reversed(rules) for path, kind in rule.types}
    for path, kind in find_names(document, (DOOR_TYPE,)):
        if kind not in first:
            document.wrong(path, f"no chain names the alert type {kind}", suggestion(kind, first))
    default = _default_alert_type(document)
    if not isinstance(default, str) or _counting_built_ins(document):
        return
    if not any(placed.rule.takes_all_of(default) for placed in rules) and default in first:
        problem = f"no chain takes the alerts that none matches: each for {default} has match"
        document.wrong(first[default], problem, "add a chain for it without match, or with an empty one, at the end")
    elif not any(placed.rule.takes_all_of(default) for placed in rules):
        chosen = any(find_values(document.data, ("defaults", "alert_type")))
        at: KeyPath = ("defaults", "alert_type") if chosen else ("agent_chains",)
        document.wrong(at, f"no chain names the default alert type {default}", suggestion(default, first))


def _default_alert_type(document: Document) -> Plain:
    chosen = [kind for _, kind in find_values(document.data, ("defaults", "alert_type"))]
    return chosen[0] if chosen else DEFAULT_ALERT_TYPE


def _counting_built_ins(document: Document) -> list[str]:
    rules = [placed.rule for placed in read_rules(document)]
    defined = {str(path[1]) for path, _ in find_values(document.data, CHAIN)}
    default = _default_alert_type(document)
    return select_built_in_chains(rules, defined, default) if isinstance(default, str) else []


def _providers_are_named(document: Document) -> None:
    if any(find_names(document, DEFAULT_PROVIDERS)):
        return
    with_one = {path[:2] for path, _ in find_names(document, ((*CHAIN, "llm_provider"),))}
    paired = {path[2] for path, _ in find_names(document, ((*AGENT_DEFAULTS, "llm_provider"),))}
    for path, agent in find_values(document.data, STAGE_AGENT):
        if not isinstance(agent, dict) or agent.get("llm_provider") or path[:2] in with_one:
            continue
        if str(agent.get("name")) not in paired:
            document.wrong(path, "has no llm_provider", "name one here, or in defaults.llm_provider")
    for chain_id in _counting_built_ins(document):
        problem = f"is missing, and the built-in chain {chain_id} needs it"
        document.wrong(("defaults", "llm_provider"), problem, "name a provider, such as google-default")


def _agents_are_known(document: Document, agents: Set[str]) -> None:
    """An agent of a type that comes later must not run as one that investigates. So it does not run."""
    types = {path[1]: kind for path, kind in find_names(document, (("agents", ANY, "type"),))}
    for path, name in find_names(document, ((*SYNTHESIS, "agent"),)):
        if types.get(name) in NEVER_SENT:
            document.wrong(path, f"an agent of type {types[name]} cannot make one analysis of several", "take it out")
    for path, name in find_names(document, (*SUB_AGENTS, *((*place, "name") for place in SUB_AGENTS))):
        if types.get(name) in NEVER_SENT:
            document.note(path, f"is sent by nobody: {name} is of type {types[name]}")
    for path, _ in find_values(document.data, AGENT_DEFAULTS):
        if path[2] not in agents:
            document.wrong(path, f"agents has no {path[2]}", suggestion(str(path[2]), agents))
    for path, chain in find_values(document.data, CHAIN):
        _note_who_runs_later(document, path, chain, types)


def _note_who_runs_later(document: Document, path: KeyPath, chain: Plain, types: Mapping[str | int, str]) -> None:
    pattern = STAGE_AGENT[len(CHAIN) :]
    kinds = {(*path, *at): _later_type(agent, types) for at, agent in find_values(chain, pattern)}
    later = {at: kind for at, kind in kinds.items() if kind is not None}
    if later and len(later) == len(kinds):
        problem = "has only agents of types that come with a later version"
        document.wrong((*path, "stages"), problem, "add a stage with an agent that investigates")
        return
    for at, kind in later.items():
        document.note(at, f"does not run yet: agents of type {kind} come with a later version")


def _later_type(agent: Plain, types: Mapping[str | int, str]) -> str | None:
    if not isinstance(agent, dict):
        return None
    kinds = (str(agent.get("type")), types.get(str(agent.get("name")), ""))
    return next((kind for kind in kinds if kind in LATER_TYPES), None)
