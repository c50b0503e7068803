"""Links in a skill to files beside it: an agent follows them with `load_skill`."""

import re
from collections.abc import Iterator, Set
from posixpath import normpath
from urllib.parse import unquote

from tarsy_config.skills.frontmatter import Frontmatter

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[#/]", re.IGNORECASE)
"""Addresses, and places in the same text."""


def find_broken_links(header: Frontmatter, paths: Set[str]) -> Iterator[tuple[int, str]]:
    """The line of each, and where it leads."""
    for line, text in enumerate(header.body.split("\n"), header.body_line):
        for target in LINK.findall(text):
            path = normpath(unquote(target.split("#")[0]))
            if ELSEWHERE.match(target) is None and path not in paths:
                yield line, target
