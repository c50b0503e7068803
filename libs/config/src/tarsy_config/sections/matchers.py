"""Matchers, as Alertmanager writes them: `cluster="us-1"`, `severity=~"critical|warning"`, `team!=shop`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from tarsy_config.sections.regex import compile_regex
from tarsy_config.values import wrong

type Operator = Literal["=", "!=", "=~", "!~"]

WRITTEN = re.compile(
    r"""\s*(?P<quote>"?)(?P<name>[^\s"=~!{},]+)(?P=quote)\s*(?P<operator>=~|!~|!=|=)\s*"""
    r"""(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^"{},]*?))\s*""",
    re.DOTALL,
)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
LINE_BREAKS = {"n": "\n"}
LITERALS = re.compile(r"[\w .:/@-]+(?:\|[\w .:/@-]+)*")


@dataclass(frozen=True, slots=True)
class Matcher:
    """A label that an alert does not have is empty, as Alertmanager has it. Regular expressions match whole values.

    `name` is in lower case, as labels of sessions are.
    """

    name: str
    operator: Operator
    value: str
    pattern: Any = field(default=None, compare=False)

    def __str__(self) -> str:
        escaped = self.value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
        return f'{self.name}{self.operator}"{escaped}"'

    def fits(self, labels: Mapping[str, str]) -> bool:
        found = labels.get(self.name, "")
        return self._holds_for(found) != self.operator.startswith("!")

    def _holds_for(self, found: str) -> bool:
        if self.pattern is None:
            return found == self.value
        return self.pattern.fullmatch(found.encode(errors="replace")) is not None

    @property
    def only_values(self) -> frozenset[str] | None:
        """The values that it fits, where they can be told: `a` and `b` of `name=~"a|b"`."""
        if self.operator == "=":
            return frozenset({self.value})
        if self.operator == "=~" and LITERALS.fullmatch(self.value) and "." not in self.value:
            return frozenset(self.value.split("|"))
        return None


@lru_cache(maxsize=4_096)
def parse_matcher(text: str) -> Matcher:
    """Raises the mistake of the configuration."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise wrong("is not a matcher", 'write it as name="value", with one of = != =~ !~')
    value = found["bare"] if found["quoted"] is None else ESCAPED.sub(_unescape, found["quoted"])
    operator: Operator = found["operator"]  # type: ignore[assignment]
    if not operator.endswith("~"):
        return Matcher(found["name"].lower(), operator, value)
    return Matcher(found["name"].lower(), operator, value, compile_regex(value))


def _unescape(found: re.Match[str]) -> str:
    """Other escapes are those of regular expressions, and stay."""
    character = found[1]
    return LINE_BREAKS.get(character, character if character in '"\\' else found[0])


def _require_matcher(text: str) -> str:
    parse_matcher(text)
    return text


type MatcherText = Annotated[str, AfterValidator(_require_matcher)]
