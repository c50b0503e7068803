"""Masking rules that a configuration may add: opt-in patterns by name, and custom patterns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tarsy_masking.errors import MaskingError


@dataclass(frozen=True, slots=True)
class CustomPattern:
    """A regex in RE2's syntax (which is Go's). `$1`, `${1}`, `${name}` in the replacement stand for what a group found.

    A label such as `[MASKED_BADGE]` in the replacement gets the digits of a session's placeholders: they tell what the
    replacement does not keep."""

    pattern: str
    replacement: str
    description: str = ""


class PatternProblem(NamedTuple):
    """`subject` is the name or the pattern that is wrong."""

    subject: str
    reason: str


class InvalidPatternsError(MaskingError, ValueError):
    """Everything that is wrong in one call, so that a configuration is mended in one go. The operator corrects them."""

    def __init__(self, mistakes: Sequence[PatternProblem]) -> None:
        super().__init__("; ".join(f"{mistake.subject!r}: {mistake.reason}" for mistake in mistakes))
        self.mistakes = tuple(mistakes)
