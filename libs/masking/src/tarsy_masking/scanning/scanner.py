"""Scanner for many patterns in one pass over the text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import batched
from typing import Any, Literal

from tarsy_masking.edits import Edit, split_into_parts
from tarsy_masking.patterns import Pattern, PatternFile, compile_regex
from tarsy_masking.regexes.heads import any_of
from tarsy_masking.scanning.compiled_rules import Rule, rule_choice
from tarsy_masking.scanning.encoded_texts import decode, is_login
from tarsy_masking.scanning.entropy import looks_made_by_chance
from tarsy_masking.scanning.overlaps import MOST_FINDINGS, TooManyFindingsError, at_most, merge
from tarsy_masking.scanning.value_checks import BESIDE_NAMES, CHECKS, Check
from tarsy_masking.scanning.words import Words

# How far beyond a find the patterns look at first: what reaches that far is looked at again, further.
_AHEAD = 200
# A name whose value is plainly none, as most are in manifests.
_SHORT = 64
_NOTHING_TOLD = compile_regex(
    r"""([\s<>|!+-]*[^\s:=]*[ \t]*[:=])[ \t]*(?:true|false|null|nil|None|True|False|""|''|\{\}|\[\]|[{\[])"""
    r"[ \t]*(?:,?[ \t]*\r?\n|,[ \t]|\z)"
)
_SIGN = re.compile(rb"[:=]")
# The length of a match's end in which the next name is searched.
_NAME_AT_END = 64
# The longest of what makes a telling name harmless stands this far before it.
_NAME_BEFORE = 24
_QUOTES = (b'"', b"'", b"`")
_MAY_END = re.compile(rb"[&\\;,]")
# In a query another name follows an ampersand.
_IN_QUERY = re.compile(rb"[?&][\w.%\[\]-]*=")
# Many patterns have many states on a long random value, and each state must be made: few patterns are faster.
_TOGETHER = 15
_TOGETHER_ACROSS_LINES = 3
_PART = 1024 * 1024
REST = b"[MASKED_REST]"
"""Stands for the end of a text that has more secrets than one may have."""


class Scan:
    """Finds all places, and of overlapping ones the widest. Each character is looked at a bounded number of times,
    however long a line is."""

    def __init__(
        self,
        source: PatternFile,
        patterns: Iterable[Pattern],
        span: Literal["line", "text"],
        most_findings: int = MOST_FINDINGS,
        *,
        of_decoded: "Scan | None" = None,
    ) -> None:
        """`of_decoded` looks into what was encoded; without it, this one does."""
        self._of_decoded = of_decoded or self
        checks = {**CHECKS, "encoded": self._holds_secret}
        chosen = [pattern for pattern in patterns if pattern.span == span]
        alone = [pattern for pattern in chosen if pattern.needs or (pattern.apart and pattern.by_name)]
        apart = [pattern for pattern in chosen if pattern.apart and pattern not in alone]
        others = [pattern for pattern in chosen if pattern not in alone and pattern not in apart]
        by_name = [pattern for pattern in others if pattern.by_name]
        forms = [pattern for pattern in others if not pattern.by_name]
        together = _TOGETHER if span == "line" else _TOGETHER_ACROSS_LINES
        order = {pattern.name: number for number, pattern in enumerate(chosen)}
        self._groups = [
            _Group(source, group, order, checks)
            for group in (
                *batched(forms, together, strict=False),
                *batched(apart, together, strict=False),
                *batched(alone, 1, strict=False),
                by_name,
            )
            if group
        ]
        self._needs = Words(need for group in self._groups for need in group.needs)
        self._most_findings = most_findings

    def suspects(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Where something may be found: outside of these places nothing is."""
        for group in self._possible_groups(text):
            yield from group.suspects(text)

    def find(self, text: bytes) -> list[Edit]:
        """Raises TooManyFindingsError."""
        return self._find_at_most(self._most_findings, text)

    def find_or_end(self, text: bytes) -> list[Edit]:
        """The same for patterns of one line, in parts of whole lines. From the part on that has too many secrets, all
        of the text is one: what is before it stays readable. Raises TooManyFindingsError where that is the first."""
        edits: list[Edit] = []
        for start, stop in split_into_parts(text, _PART):
            try:
                found = self._find_at_most(self._most_findings - len(edits), text[start:stop])
            except TooManyFindingsError:
                if start == 0:
                    raise
                return [*edits, Edit(start, len(text), REST, text[start:], "too_many_secrets")]
            edits += [edit.move(start) for edit in found] if start else found
        return edits

    def _find_at_most(self, count: int, text: bytes) -> list[Edit]:
        return merge(at_most(count, self._find_claims(text)))

    def _find_claims(self, text: bytes) -> Iterator[tuple[int, Edit]]:
        return (claim for group in self._possible_groups(text) for claim in group.matches(text))

    def _holds_secret(self, value: bytes) -> bool:
        """Whether there is one in what the value encodes, which may be encoded again: that is shorter each time."""
        decoded = decode(value)
        return decoded is not None and (is_login(decoded) or any(True for _ in self._of_decoded._find_claims(decoded)))

    def _possible_groups(self, text: bytes) -> Iterator["_Group"]:
        """Those whose needs are in the text: all needs are looked for in one pass."""
        if not text:
            return iter(())
        present = self._needs.present_in(text)
        return (group for group in self._groups if not group.needs or not present.isdisjoint(group.needs))


class _Group:
    """Some patterns. One regex that is the sum of them finds the places; what stands there is told by the patterns that
    a set of them names."""

    def __init__(
        self, source: PatternFile, patterns: Sequence[Pattern], order: Mapping[str, int], checks: Mapping[str, Check]
    ) -> None:
        self._within_line = within_line = patterns[0].span == "line"
        self._by_name = patterns[0].by_name
        self.needs = patterns[0].needs if len(patterns) == 1 else ()
        self._rules_for = rule_choice(source, patterns, checks)
        self._order = order
        regexes = [regex for pattern in patterns for regex in pattern.any_regexes]
        anything = any_of(regexes) if self._by_name else "|".join(f"(?:{regex})" for regex in regexes)
        self._any = compile_regex(anything, capture=False, within_line=within_line)
        self._never_secret = compile_regex(source.never_secret)
        self._message = compile_regex(source.message)
        self._harmless_names = compile_regex(source.harmless_names)
        self._harmless_beside_chance = compile_regex(source.harmless_beside_chance)
        self._value_end = compile_regex(source.value_end)

    def suspects(self, text: bytes) -> Iterator[tuple[int, int]]:
        position = 0
        while (found := self._any.search(text, position)) is not None:
            yield found.span()
            position = max(found.end(), found.start() + 1)

    def matches(self, text: bytes) -> Iterator[tuple[int, Edit]]:
        position, stop = 0, len(text)
        while (found := self._any.search(text, position, stop)) is not None:
            start, position = found.span()
            end = position
            if self._by_name and _holds_nothing(text, start, end, stop):
                continue
            for rule in self._rules_for(text, start, self._end_of_look(text, end, min(stop, end + _AHEAD))):
                for claim, looked_at in self._claims_of(rule, text, start, end, stop):
                    # A head is short: without this a long value would be looked at from each name in it.
                    if claim is not None or self._by_name:
                        position = max(position, looked_at)
                    if claim is not None:
                        yield self._order[rule.name], claim

    def _end_of_look(self, text: bytes, end: int, limit: int) -> int:
        """The end of the line, where nothing reaches further: the random values of the next one cost states."""
        if not self._within_line:
            return limit
        line_end = text.find(b"\n", end, limit)
        return limit if line_end < 0 else line_end + 1

    def _claims_of(self, rule: Rule, text: bytes, start: int, end: int, stop: int) -> Iterator[tuple[Edit | None, int]]:
        """Finds of the rule that begin before the end, None for what is no secret; and where it has looked up to."""
        ahead = _AHEAD
        while start < end:
            limit = min(end + ahead, stop)
            match = rule.regex.search(text, start, limit)
            if match is None or match.start() >= end:
                return
            if match.end() == limit < stop:
                ahead = 4 * max(ahead, limit - start)
                continue
            start = match.end()
            edit = self._edit_of_match(rule, text, match)
            yield edit, start - _NAME_AT_END if edit is None else _end_of_looked_at(rule, text, edit)

    def _edit_of_match(self, rule: Rule, text: bytes, match: Any) -> Edit | None:
        """The cheapest check comes first: most finds beside names in ordinary texts are none."""
        start, whole = rule.secret_span(match)
        named = rule.by_name or rule.check in BESIDE_NAMES
        stop = self._end_of_value(text, match.start(), start, whole) if named else whole
        secret = text[start:stop]
        if start == stop or (named and rule.check and not rule.check(secret)):
            return None
        if self._never_secret.fullmatch(text, start, whole):
            return None
        if stop < whole and self._never_secret.fullmatch(secret):
            return None
        if named and (self._has_harmless_name(rule, text, match.start(), start) or self._message.fullmatch(secret)):
            return None
        if not named and rule.check and not rule.check(secret):
            return None
        return Edit(start, stop, rule.label, secret, rule.name)

    def _has_harmless_name(self, rule: Rule, text: bytes, begin: int, start: int) -> bool:
        name = text[max(0, begin - _NAME_BEFORE) : start]
        if rule.check is looks_made_by_chance and self._harmless_beside_chance.search(name) is not None:
            return True
        return self._harmless_names.search(name) is not None

    def _end_of_value(self, text: bytes, begin: int, start: int, stop: int) -> int:
        if text[start - 1 : start] in _QUOTES or _MAY_END.search(text, start, stop) is None:
            return stop
        cut = text.find(b"&", start, stop)
        if cut > start and _IN_QUERY.search(text, max(0, begin - _NAME_BEFORE), start):
            stop = cut
        end = self._value_end.search(text[start:stop])
        return stop if end is None else start + int(end.start())


def _holds_nothing(text: bytes, start: int, end: int, stop: int) -> bool:
    """Only of the sign that is part of the find: `--token abc --quiet=true` has another one behind it."""
    if _SIGN.search(text, start, end) is None:
        return False
    found = _NOTHING_TOLD.match(text, start, min(stop, end + _SHORT))
    return found is not None and found.end(1) < end


def _end_of_looked_at(rule: Rule, text: bytes, edit: Edit) -> int:
    """Another find may begin in the end of a value: `token=pathPassword: 1234` has two. A form tells mostly where it
    ends."""
    end = text[edit.stop - 1 : edit.stop + 1]
    is_open = rule.by_name or b":" in end or b"=" in end
    return max(edit.start, edit.stop - _NAME_AT_END) if is_open else edit.stop
