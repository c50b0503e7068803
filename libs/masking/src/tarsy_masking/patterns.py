"""The patterns of patterns.yaml, read and compiled."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

import re2
import yaml

_FRAGMENT = re.compile(r"<([a-z_]+)>")
_FAMILY = "<FAMILY>"
_NAMES = "<names>"
_MEMORY = 64 << 20


@dataclass(frozen=True)
class Pattern:
    """One entry of the file, with its families and fragments filled in: several regexes, one per family."""

    name: str
    description: str
    span: Literal["line", "text"]
    any_regex: str
    regexes: tuple[tuple[str, str], ...]
    samples: Mapping[str, str] = field(default_factory=dict)
    ordinary: tuple[str, ...] = ()


@dataclass(frozen=True)
class PatternFile:
    patterns: tuple[Pattern, ...]
    never_secret: str
    families: Mapping[str, str]


def read_patterns() -> PatternFile:
    raw = yaml.safe_load(files("tarsy_masking").joinpath("patterns.yaml").read_text(encoding="utf-8"))
    families: dict[str, str] = raw["families"]
    fragments = {**raw["fragments"], "any": f"(?:{'|'.join(families.values())})"}
    patterns = tuple(_pattern(entry, families, fragments) for entry in raw["patterns"])
    return PatternFile(patterns, raw["never_secret"], families)


def compile_regex(regex: str, *, capture: bool = True, one_line: bool = False) -> Any:
    """RE2 takes time in proportion to the text, whatever the text; Latin-1 makes it read UTF-8 as plain bytes."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = _MEMORY
    options.never_capture = not capture
    options.never_nl = one_line
    compiled = re2.compile(regex.encode("ascii"), options)
    if compiled.search(b"") is not None:
        raise ValueError(f"this regex finds something in an empty text, so it would never come to an end: {regex}")
    return compiled


def _pattern(entry: Mapping[str, Any], families: Mapping[str, str], fragments: Mapping[str, str]) -> Pattern:
    regex = _filled(entry["regex"], fragments)
    return Pattern(
        name=entry["name"],
        description=entry["description"],
        span=entry.get("span", "line"),
        any_regex=regex.replace(_NAMES, fragments["any"]),
        regexes=tuple(_per_family(regex, entry["replacement"], families)),
        samples=entry["samples"],
        ordinary=tuple(entry["ordinary"]),
    )


def _per_family(regex: str, replacement: str, families: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if _NAMES not in regex:
        yield regex, replacement
        return
    for family, names in families.items():
        yield regex.replace(_NAMES, names), replacement.replace(_FAMILY, family)


def _filled(regex: str, fragments: Mapping[str, str]) -> str:
    def fill(found: re.Match[str]) -> str:
        name = found[1]
        return found[0] if found[0] == _NAMES else _filled(fragments[name], fragments)

    return _FRAGMENT.sub(fill, regex)
