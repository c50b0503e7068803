"""Order of chains: none stands where those before it leave no alert to it. Checked on the plain data."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_core import PydanticCustomError

from tarsy_config.document import Document
from tarsy_config.errors import Place
from tarsy_config.key_paths import ANY, CHAIN, found, named
from tarsy_config.matchers import parse_matcher
from tarsy_config.routing import ChainRule


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """A chain's rule as a file has it. `types`: where each alert type stands."""

    place: Place
    rule: ChainRule
    types: tuple[tuple[Place, str], ...]


def placed_rules(document: Document) -> list[PlacedRule]:
    """In their order. A chain with a mistake of its own is left out: that one is told elsewhere."""
    rules = []
    for place, _ in found(document.data, CHAIN):
        types = tuple(named(document, ((*place, "alert_types", ANY),)))
        written = [text for _, text in named(document, ((*place, "match", ANY),))]
        is_there = any(value is not None for _, value in found(document.data, (*place, "match")))
        try:
            matchers = tuple(map(parse_matcher, written)) if is_there else None
        except PydanticCustomError:
            continue
        if not types and matchers is None:
            continue
        rule = ChainRule(str(place[1]), frozenset(kind for _, kind in types), matchers)
        rules.append(PlacedRule(place, rule, types))
    return rules


def check_order(document: Document) -> None:
    rules = placed_rules(document)
    for number, placed in enumerate(rules):
        seen: set[str] = set()
        for place, kind in _kinds(placed):
            before = next((one for one in rules[:number] if placed.rule.is_shadowed_by(one.rule, kind)), None)
            if kind is not None and kind in seen:
                _tell_twice(document, place, kind, placed.rule.chain_id)
            elif before is not None:
                _tell_shadowed(document, placed, before, place, kind)
            seen |= {kind} if kind is not None else set()


def _kinds(placed: PlacedRule) -> Iterator[tuple[Place, str | None]]:
    yield from placed.types
    if not placed.types and placed.rule.matchers is not None:
        yield (*placed.place, "match"), None


def _tell_twice(document: Document, place: Place, kind: str, chain_id: str) -> None:
    document.wrong(place, f"the alert type {kind} belongs to the chain {chain_id} already", "keep one of them")


def _tell_shadowed(document: Document, placed: PlacedRule, before: PlacedRule, place: Place, kind: str | None) -> None:
    first = before.rule
    if kind in first.alert_types and first.matchers is None and placed.rule.matchers is None:
        _tell_twice(document, place, str(kind), first.chain_id)
        return
    alerts = "alerts" if kind is None else f"alerts of the type {kind}"
    line = document.line(before.place)
    problem = f"its {alerts} go to the chain {first.chain_id} (line {line}), which stands before it"
    document.wrong(place, problem, f"put it before {first.chain_id}, or take it out")
