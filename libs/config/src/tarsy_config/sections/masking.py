"""Masking beside the built-in set, which is never switched off: opt-in patterns by name, and one's own.

The names are those of `tarsy_masking`, which this library may not import: a test of the tool gateway compares them.
"""

from collections.abc import Collection
from typing import Annotated

from pydantic import AfterValidator, field_validator

from tarsy_config.errors import suggestion
from tarsy_config.sections.regex import compile_regex
from tarsy_config.values import Section, wrong

GROUPS = frozenset({"basic", "secrets", "security", "kubernetes", "cloud", "personal", "all"})
PATTERNS = frozenset(
    {
        "api_key",
        "password",
        "certificate",
        "certificate_authority_data",
        "token",
        "email",
        "card_number",
        "ssh_key",
        "base64_secret",
        "base64_short",
        "private_key",
        "secret_key",
        "aws_access_key",
        "aws_secret_key",
        "github_token",
        "slack_token",
        "kubernetes_secret",
    }
)


def group(name: str) -> str:
    return _require_known(name, GROUPS, "group")


def pattern(name: str) -> str:
    return _require_known(name, PATTERNS, "pattern")


class CustomPatternConfig(Section):
    """`pattern` is a regex in RE2's syntax, which is Go's; `$1` or `${name}` in `replacement` is what a group found."""

    pattern: str
    replacement: str
    description: str = ""

    @field_validator("pattern")
    @classmethod
    def _require_usable(cls, value: str) -> str:
        if not value:
            raise wrong("is empty", "write a regex")
        if compile_regex(value).search(b"") is not None:
            raise wrong("finds something in an empty text too", "write a regex that needs at least one character")
        return value


class DataMasking(Section):
    """Additional masking of the results and errors of one MCP server."""

    enabled: bool = True
    pattern_groups: tuple[Annotated[str, AfterValidator(group)], ...] = ()
    patterns: tuple[Annotated[str, AfterValidator(pattern)], ...] = ()
    custom_patterns: tuple[CustomPatternConfig, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of groups and patterns, for the masker; none when it is switched off."""
        return (*self.pattern_groups, *self.patterns) if self.enabled else ()

    @property
    def custom(self) -> tuple[CustomPatternConfig, ...]:
        return self.custom_patterns if self.enabled else ()


class AlertMasking(Section):
    enabled: bool = True
    pattern_group: Annotated[str, AfterValidator(group)] = "security"

    @property
    def names(self) -> tuple[str, ...]:
        return (self.pattern_group,) if self.enabled else ()


def _require_known(name: str, names: Collection[str], what: str) -> str:
    if name not in names:
        raise wrong(f"no {what} has this name", suggestion(name, names))
    return name
