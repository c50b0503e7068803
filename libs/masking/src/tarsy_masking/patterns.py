"""Patterns of patterns.yaml, read and compiled."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

import re2
import yaml

from tarsy_masking.regexes.heads import head

# Ten times as fast as the one in Python, which is there wherever PyYAML is.
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FRAGMENT = re.compile(r"<([a-z_]+)>")
_FAMILY = "<FAMILY>"
_NAMES = "<names>"
_MEMORY = 16 << 20
_FEW = 4
# A process builds several maskers of the same patterns, and compiling takes nearly all of that time.
_COMPILED = 1024
# Checks of patterns that have no form but their length.
_WITHOUT_FORM = ("random", "base64", "encoded")
# Shorter exact counts stay: they tell UUIDs from longer hexadecimal runs.
_COUNT = re.compile(r"(?<!\\)\{(?:(?:[5-9]|[0-9]{2,}),|(?:1[6-9]|[2-9][0-9]|[0-9]{3,})(?:,[0-9]+)?)\}")

type FindNumbers = Callable[[bytes], Sequence[int] | None]
"""The numbers of the regexes of a set that find something in a text; None where none does."""


@dataclass(frozen=True)
class Pattern:
    """One entry of the file, with its families and fragments filled in: several regexes, one per family.

    `of_all_families` are its regexes with the names of all families; `any_regexes` find all that they find, and more.
    """

    name: str
    description: str
    span: Literal["line", "text"]
    check: str
    by_name: bool
    any_regexes: tuple[str, ...]
    regexes: tuple[tuple[str, str], ...]
    samples: Mapping[str, str] = field(default_factory=dict)
    ordinary: tuple[str, ...] = ()
    of_all_families: tuple[str, ...] = ()
    apart: bool = False
    needs: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class PatternFile:
    """`patterns` are the default; `opt_in` are added by name. `covered` are names of rules that the default has."""

    patterns: tuple[Pattern, ...]
    opt_in: tuple[Pattern, ...]
    groups: Mapping[str, tuple[str, ...]]
    covered: frozenset[str]
    never_secret: str
    message: str
    harmless_names: str
    harmless_beside_chance: str
    value_end: str
    families: Mapping[str, str]
    any_name: str

    @property
    def known_names(self) -> frozenset[str]:
        return self.covered | {*self.groups} | {pattern.name for pattern in (*self.patterns, *self.opt_in)}

    def select_opt_in(self, names_and_groups: frozenset[str]) -> tuple[Pattern, ...]:
        """Names of other patterns, and of none, are passed over."""
        wanted = names_and_groups.union(*(self.groups[name] for name in names_and_groups if name in self.groups))
        return tuple(pattern for pattern in self.opt_in if pattern.name in wanted)


@cache
def read_patterns() -> PatternFile:
    raw, of_providers = _load_file("patterns.yaml"), _load_file("providers.yaml")
    entries = (*of_providers["providers"], *raw["patterns"])
    fragments: dict[str, str] = {
        **raw["fragments"],
        "provider": _join_lines(of_providers["provider_names"]),
        "label": _labels_regex(entries, raw["families"]),
    }
    families = {family: _fill_fragments(names, fragments) for family, names in raw["families"].items()}
    fragments = {**fragments, "any": f"(?:{'|'.join(families.values())})"}
    return PatternFile(
        patterns=tuple(_make_pattern(entry, families, fragments) for entry in entries),
        opt_in=tuple(_make_pattern(entry, families, fragments) for entry in raw["opt_in"]),
        groups={name: tuple(members) for name, members in raw["groups"].items()},
        covered=frozenset(raw["covered"]),
        never_secret=_fill_fragments(_join_lines(raw["never_secret"]), fragments),
        message=_fill_fragments(_join_lines(raw["message"]), fragments),
        harmless_names=_fill_fragments(raw["harmless_names"], fragments),
        harmless_beside_chance=_fill_fragments(_join_lines(raw["harmless_beside_chance"]), fragments),
        value_end=raw["value_end"],
        families=families,
        any_name=fragments["any"],
    )


def _load_file(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(files("tarsy_masking").joinpath(name).read_bytes(), _YAML)
    return content


def _join_lines(regex: str) -> str:
    """A regex that is written in several lines."""
    return "".join(line.strip() for line in regex.splitlines())


@lru_cache(_COMPILED)
def compile_regex(regex: str, *, capture: bool = True, within_line: bool = False, memory: int = _MEMORY) -> Any:
    """RE2 takes time in proportion to the text, whatever the text; Latin-1 makes it read UTF-8 as plain bytes."""
    compiled = re2.compile(regex.encode("ascii"), _re2_options(capture=capture, within_line=within_line, memory=memory))
    refuse_empty(compiled)
    return compiled


@lru_cache(_COMPILED)
def compile_regex_set(regexes: tuple[str, ...], *, within_line: bool = False) -> FindNumbers:
    """`within_line`: what is found never has a line end in it."""
    compiled = re2.Set.SearchSet(_re2_options(capture=False, within_line=within_line, memory=4 * _MEMORY))
    for regex in regexes:
        compiled.Add(regex.encode("ascii"))
    compiled.Compile()
    find: FindNumbers = compiled.Match
    return find


def refuse_empty(compiled: Any) -> None:
    if compiled.search(b"") is not None:
        raise ValueError("it finds something in an empty text, so it would find it everywhere")


def _re2_options(*, capture: bool, within_line: bool, memory: int) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = memory
    options.never_capture = not capture
    options.never_nl = within_line
    return options


def _make_pattern(entry: Mapping[str, Any], families: Mapping[str, str], fragments: Mapping[str, str]) -> Pattern:
    regexes = [f"(?m:{_fill_fragments(regex, fragments)})" for regex in _as_list(entry["regex"])]
    by_name = any(_NAMES in regex for regex in regexes)
    of_all_families = tuple(regex.replace(_NAMES, fragments["any"]) for regex in regexes)
    return Pattern(
        name=entry["name"],
        description=entry["description"],
        span=entry.get("span", "line"),
        check=entry.get("check", ""),
        by_name=by_name,
        of_all_families=of_all_families,
        any_regexes=tuple(map(head, of_all_families) if by_name else (_loosen(one, entry) for one in of_all_families)),
        needs=tuple(text.encode() for text in entry.get("needs", ())),
        apart=entry.get("apart", False),
        regexes=tuple(
            one for regex in regexes for one in _regex_and_label_per_family(regex, entry["replacement"], families)
        ),
        samples=entry["samples"],
        ordinary=tuple(entry["ordinary"]),
    )


def _loosen(regex: str, entry: Mapping[str, Any]) -> str:
    """Finds whatever the regex finds, and more, without counting far: RE2 has states for every count. A pattern
    that has no form but its length stays as it is."""
    return regex if entry.get("check") in _WITHOUT_FORM else _COUNT.sub(rf"{{{_FEW},}}", regex)


def _labels_regex(entries: Iterable[Mapping[str, Any]], families: Iterable[str]) -> str:
    """A value that only begins like one of these is no placeholder."""
    written = {entry["replacement"].strip("[]").replace(_FAMILY, family) for entry in entries for family in families}
    return f"(?:{'|'.join(sorted(written))})"


def _as_list(regex: str | list[str]) -> list[str]:
    return [regex] if isinstance(regex, str) else regex


def _regex_and_label_per_family(regex: str, replacement: str, families: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if _NAMES not in regex:
        yield regex, replacement
        return
    for family, names in families.items():
        yield regex.replace(_NAMES, names), replacement.replace(_FAMILY, family)


def _fill_fragments(regex: str, fragments: Mapping[str, str]) -> str:
    def fill(found: re.Match[str]) -> str:
        name = found[1]
        return found[0] if found[0] == _NAMES or name not in fragments else _fill_fragments(fragments[name], fragments)

    return _FRAGMENT.sub(fill, regex)
