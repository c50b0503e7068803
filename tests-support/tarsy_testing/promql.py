"""Names and labels of a PromQL expression, found by its syntax. Prometheus itself parses it in a test."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
RANGE = re.compile(r"\[[^\]]*\]")
NAME = re.compile(r"(?<![\w:.$])([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\}|(?=(\())|(?![\w:]))")
MATCHER = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"')
KEYWORDS = frozenset({"and", "or", "unless", "bool", "offset"})
HISTOGRAM_ENDS = ("_bucket", "_sum", "_count")


@dataclass(frozen=True, slots=True)
class Selector:
    name: str
    matchers: Mapping[str, str]


def selectors(expr: str) -> Iterator[Selector]:
    """Each metric that the expression names, with the values that it wants of its labels."""
    for match in NAME.finditer(RANGE.sub("", GROUPING.sub("", expr))):
        name, matchers, call = match.groups()
        if not call and name not in KEYWORDS:
            yield Selector(name, dict(MATCHER.findall(matchers or "")))


def grouping_labels(expr: str) -> set[str]:
    return {label.strip() for labels in GROUPING.findall(expr) for label in labels.split(",")}


def without_series_end(name: str) -> str:
    """The histogram to which a series belongs."""
    end = next((end for end in HISTOGRAM_ENDS if name.endswith(end)), "")
    return name.removesuffix(end)
