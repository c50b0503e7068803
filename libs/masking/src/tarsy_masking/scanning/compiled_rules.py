"""Rules compiled from patterns, and the choice of those that may find something in a part of a text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from tarsy_masking.patterns import Pattern, PatternFile, compile_regex, compile_regex_set
from tarsy_masking.scanning.value_checks import Check

_NOWHERE = (-1, -1)


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    regex: Any
    label: bytes
    check: Check | None
    by_name: bool
    groups: range

    def secret_span(self, match: Any) -> tuple[int, int]:
        for group in self.groups:
            if (span := match.span(group)) != _NOWHERE:
                return int(span[0]), int(span[1])
        start, stop = match.span()
        return start, stop


type RuleChoice = Callable[[bytes, int, int], Iterator[Rule]]


def rule_choice(source: PatternFile, patterns: Sequence[Pattern], checks: Mapping[str, Check]) -> RuleChoice:
    if patterns[0].span == "text":
        return _choose_by_each(patterns, checks)
    return _choose_by_heads(source, patterns, checks) if patterns[0].by_name else _choose_by_set(patterns, checks)


def _choose_by_set(patterns: Sequence[Pattern], checks: Mapping[str, Check]) -> RuleChoice:
    """The rules that may find something in a part of a text, by one look at it."""
    rules = [_compile_rule(pattern, regex, label, checks) for pattern in patterns for regex, label in pattern.regexes]
    find_numbers = compile_regex_set(
        tuple(regex for pattern in patterns for regex, _ in pattern.regexes), within_line=True
    )

    def chosen(text: bytes, start: int, stop: int) -> Iterator[Rule]:
        return (rules[index] for index in find_numbers(text[max(0, start - 1) : stop]) or ())

    return chosen


def _choose_by_each(patterns: Sequence[Pattern], checks: Mapping[str, Check]) -> RuleChoice:
    """The same, by a look of each pattern: together these have a new state for nearly each byte of a value."""
    found = [
        (
            compile_regex("|".join(pattern.of_all_families), capture=False),
            [_compile_rule(pattern, regex, label, checks) for regex, label in pattern.regexes],
        )
        for pattern in patterns
    ]

    def chosen(text: bytes, start: int, stop: int) -> Iterator[Rule]:
        part = text[max(0, start - 1) : stop]
        for regex, rules in found:
            if regex.search(part) is not None:
                yield from rules

    return chosen


def _choose_by_heads(source: PatternFile, patterns: Sequence[Pattern], checks: Mapping[str, Check]) -> RuleChoice:
    """The same for patterns beside names: a look of each pattern whose head is there, then the rules of the families
    whose names are."""
    families = len(source.families)
    heads = [head for pattern in patterns for head in pattern.any_regexes]
    found = [
        (
            compile_regex(regex, capture=False, within_line=True),
            [_compile_rule(pattern, *rule, checks) for rule in rules],
        )
        for pattern in patterns
        for regex, rules in zip(pattern.of_all_families, batched(pattern.regexes, families, strict=True), strict=True)
    ]
    find_heads = compile_regex_set(tuple(heads), within_line=True)
    find_families = compile_regex_set(tuple(f"(?i){names}" for names in source.families.values()), within_line=True)

    def chosen(text: bytes, start: int, stop: int) -> Iterator[Rule]:
        part = text[max(0, start - 1) : stop]
        named = find_families(part) or ()
        for index in find_heads(part) or ():
            regex, rules = found[index]
            if regex.search(part) is not None:
                yield from (rules[family] for family in named)

    return chosen


def _compile_rule(pattern: Pattern, regex: str, label: str, checks: Mapping[str, Check]) -> Rule:
    compiled = compile_regex(regex, within_line=pattern.span == "line")
    return Rule(
        name=pattern.name,
        regex=compiled,
        label=label.encode(),
        check=checks.get(pattern.check),
        by_name=pattern.by_name,
        groups=range(1, compiled.groups + 1),
    )
