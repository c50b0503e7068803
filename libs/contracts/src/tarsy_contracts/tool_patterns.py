"""Patterns of tool names, as the configuration writes them: `pods_*`, or a whole name. Pure."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

EVERY_TOOL = "*"


def is_named(tool: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in patterns)
