"""Order of chains: none stands where those before it leave no alert to it. Checked on the plain data."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_core import PydanticCustomError

from tarsy_config.document.key_paths import ANY, CHAIN, find_names, find_values
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath
from tarsy_config.plans.routing import ChainRule
from tarsy_config.sections.matchers import parse_matcher


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """A chain's rule as a file has it. `types`: where each alert type stands."""

    place: KeyPath
    rule: ChainRule
    types: tuple[tuple[KeyPath, str], ...]


def read_rules(document: Document) -> list[PlacedRule]:
    """In their order. A chain with a mistake of its own is left out: that one is told elsewhere."""
    rules = []
    for path, _ in find_values(document.data, CHAIN):
        types = tuple(find_names(document, ((*path, "alert_types", ANY),)))
        written = [text for _, text in find_names(document, ((*path, "match", ANY),))]
        is_there = any(value is not None for _, value in find_values(document.data, (*path, "match")))
        try:
            matchers = tuple(map(parse_matcher, written)) if is_there else None
        except PydanticCustomError:
            continue
        if not types and matchers is None:
            continue
        rule = ChainRule(str(path[1]), frozenset(kind for _, kind in types), matchers)
        rules.append(PlacedRule(path, rule, types))
    return rules


def check_order(document: Document) -> None:
    rules = read_rules(document)
    for number, placed in enumerate(rules):
        seen: set[str] = set()
        for path, kind in _alert_kinds(placed):
            before = next((one for one in rules[:number] if placed.rule.is_shadowed_by(one.rule, kind)), None)
            if kind is not None and kind in seen:
                _report_duplicate(document, path, kind, placed.rule.chain_id)
            elif before is not None:
                _report_shadowed(document, placed, before, path, kind)
            seen |= {kind} if kind is not None else set()


def _alert_kinds(placed: PlacedRule) -> Iterator[tuple[KeyPath, str | None]]:
    yield from placed.types
    if not placed.types and placed.rule.matchers is not None:
        yield (*placed.place, "match"), None


def _report_duplicate(document: Document, path: KeyPath, kind: str, chain_id: str) -> None:
    document.wrong(path, f"the alert type {kind} belongs to the chain {chain_id} already", "keep one of them")


def _report_shadowed(
    document: Document, placed: PlacedRule, before: PlacedRule, path: KeyPath, kind: str | None
) -> None:
    first = before.rule
    if kind in first.alert_types and first.matchers is None and placed.rule.matchers is None:
        _report_duplicate(document, path, str(kind), first.chain_id)
        return
    alerts = "alerts" if kind is None else f"alerts of the type {kind}"
    line = document.nearest_line(before.place)
    problem = f"its {alerts} go to the chain {first.chain_id} (line {line}), which stands before it"
    document.wrong(path, problem, f"put it before {first.chain_id}, or take it out")
