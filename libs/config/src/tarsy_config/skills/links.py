"""Links in a skill to files beside it, and to runbooks: an agent follows them with `load_skill`."""

import re
from collections.abc import Collection, Iterable, Iterator, Set
from posixpath import normpath
from urllib.parse import unquote

from tarsy_config.skills.frontmatter import Frontmatter
from tarsy_contracts.runbook_urls import RunbookUrlRefusedError, require_allowed_runbook_url

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[#/]", re.IGNORECASE)
"""Addresses, and places in the same text."""
MOST_RUNBOOKS = 20


def find_broken_links(header: Frontmatter, paths: Set[str]) -> Iterator[tuple[int, str]]:
    """The line of each, and where it leads."""
    for line, text in enumerate(header.body.split("\n"), header.body_line):
        for target in LINK.findall(text):
            path = normpath(unquote(target.split("#")[0]))
            if ELSEWHERE.match(target) is None and path not in paths:
                yield line, target


def find_runbooks(texts: Iterable[str], domains: Collection[str]) -> tuple[str, ...]:
    """Addresses from where runbooks may come. Those elsewhere are for people."""
    targets = (target.split("#")[0] for text in texts for target in LINK.findall(text))
    return tuple(dict.fromkeys(target for target in targets if _is_allowed(target, domains)))[:MOST_RUNBOOKS]


def _is_allowed(target: str, domains: Collection[str]) -> bool:
    try:
        require_allowed_runbook_url(target, domains)
    except RunbookUrlRefusedError:
        return False
    return True
