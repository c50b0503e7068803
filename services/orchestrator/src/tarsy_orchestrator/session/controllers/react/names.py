"""Tool names as models write them, matched to the tools that are offered. Pure."""

import re
from collections.abc import Sequence

from tarsy_contracts.events import OfferedTool

LONGEST = 200
MARKS = " \t\r\n`*\"'“”<>[](){}.,;:!?→"
REASON = re.compile(r"[(,.;:–—]|\s-\s|\s(?:as|because|since)\s")
BETWEEN = re.compile(r"[\W_]+")
WORD = re.compile(r"[\w./:\-]+")
FIRST = re.compile(r"(?P<name>[\w./:\-]+)[`*\"'\]]*\s*(?:[(\[{#,]|[-–—:]\s|with\b|using\b)")
FOREIGN = re.compile(r"(?:functions|default_api|tools)\.")
NOTHING = re.compile(
    r"(?:none|no(?:ne| (?:further |more )?(?:actions?|tools?))?(?: (?:is )?(?:needed|required|necessary))?"
    r"|n/?a|nil|null|nothing|not (?:applicable|needed|required)|finish(?:ed)?|done|final[ _-]?answer|conclude|[-–—]+)",
    re.IGNORECASE,
)
"""Words that stand after Action when the model wants none."""


class Names:
    """Index of the offered tools by every way in which they are written."""

    def __init__(self, tools: Sequence[OfferedTool]) -> None:
        self._exact: dict[str, set[str]] = {}
        self._full: dict[str, set[str]] = {}
        self._bare: dict[str, set[str]] = {}
        for offered in tools:
            name = offered.definition.name
            for written in (name, f"{offered.server}.{offered.tool}"):
                self._exact.setdefault(written, set()).add(name)
                self._full.setdefault(_key(written), set()).add(name)
            self._bare.setdefault(_key(offered.tool), set()).add(name)

    def known(self, written: str) -> str | None:
        """Returns the name of the tool when exactly one could be meant."""
        word = clean(written)
        # A server may be called as what models put before names by themselves.
        return self._meant(word) or self._meant(FOREIGN.sub("", word, count=1))

    def _meant(self, word: str) -> str | None:
        """Matches exactly first: a tool of the same letters with other marks would make it ambiguous."""
        key = _key(word)
        return _only(self._exact.get(word)) or _only(self._full.get(key)) or _only(self._bare.get(key))

    def leading(self, line: str) -> str | None:
        """Returns the tool that the line names, alone or with a remark behind it."""
        before_input, brace, _ = line[:LONGEST].partition("{")
        first = FIRST.match(before_input.lstrip(MARKS) + brace)
        return self.known(before_input) or (self.known(first["name"]) if first else None)

    def named_in(self, line: str) -> str | None:
        """Returns the one tool whose full name stands somewhere in a sentence."""
        words = (clean(word) for word in WORD.findall(line[:LONGEST]))
        found = {name for word in words if (name := _only(self._full.get(_key(word)))) is not None}
        return _only(found)


def clean(written: str) -> str:
    """Removes the marks around a name."""
    return " ".join(written[:LONGEST].split()).strip(MARKS)


def means_nothing(written: str) -> bool:
    """Whether the model wants no tool, also with a reason behind it."""
    return NOTHING.fullmatch(clean(REASON.split(written[:LONGEST].strip(MARKS), maxsplit=1)[0])) is not None


def _key(written: str) -> str:
    return BETWEEN.sub("_", written.casefold()).strip("_")


def _only(found: set[str] | None) -> str | None:
    return next(iter(found)) if found is not None and len(found) == 1 else None
