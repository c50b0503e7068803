"""Token estimates from sizes, which correct themselves by what providers report. Pure.

No tokenizer is asked: each provider has its own, and most are not to be had. A rate per provider and kind of text
comes nearer than any of them, as the provider itself teaches it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Literal

type TextKind = Literal["prose", "json", "logs"]
"""`logs` is all that is neither: lines of names, numbers and times, tables, YAML."""

BYTES_PER_TOKEN: Mapping[TextKind, float] = {"prose": 4.0, "json": 3.0, "logs": 3.0}
"""Measured, and used until a provider has reported something."""
LEAST_BYTES_PER_TOKEN = 1.5
MOST_BYTES_PER_TOKEN = 6.0
"""A provider that reports nonsense moves an estimate no further than this."""
LEAST_BYTES = 4_000
"""A shorter text teaches nothing: what stands around it weighs as much."""
PRIOR_TOKENS = 2_000.0
"""The weight of BYTES_PER_TOKEN: so many tokens must be reported to count as much."""
OBSERVED_TOKENS = 20_000.0
"""The weight of one report is at most this."""
REMEMBERED_TOKENS = 100_000.0
"""Older reports fade beyond this: models change behind the name of a provider."""
MOST_RATES = 100

SAMPLE_CHARACTERS = 4_000
SPOKEN = ascii_letters.encode() + b" " + bytes(range(0x80, 0x100))
"""The bytes of letters and spaces; those beyond ASCII belong to letters, near enough."""
PROSE_SHARE = 0.9
"""Share of letters and spaces: English has 0.95, logs have 0.6."""


@dataclass(frozen=True, slots=True)
class TokenRate:
    """Bytes and tokens seen together, faded."""

    bytes: float
    tokens: float


@dataclass(frozen=True, slots=True)
class TokenRates:
    """Rates by provider and kind of text. At most MOST_RATES are learned; the others stay as they were measured."""

    learned: Mapping[tuple[str, TextKind], TokenRate] = field(default_factory=dict)

    def bytes_per_token(self, provider: str, kind: TextKind) -> float:
        rate = self.learned.get((provider, kind))
        return BYTES_PER_TOKEN[kind] if rate is None else rate.bytes / rate.tokens

    def tokens(self, provider: str, kind: TextKind, size: int) -> int:
        """The estimate for a text of `size` bytes."""
        return math.ceil(size / self.bytes_per_token(provider, kind))

    def observe(self, provider: str, kind: TextKind, *, size: int, tokens: int) -> "TokenRates":
        """A provider has counted so many tokens in a text of `size` bytes."""
        key = (provider, kind)
        if size < LEAST_BYTES or tokens <= 0 or (key not in self.learned and len(self.learned) >= MOST_RATES):
            return self
        known = self.learned.get(key, TokenRate(PRIOR_TOKENS * BYTES_PER_TOKEN[kind], PRIOR_TOKENS))
        reported = min(max(size / tokens, LEAST_BYTES_PER_TOKEN), MOST_BYTES_PER_TOKEN)
        weight = min(size / reported, OBSERVED_TOKENS)
        fading = min(1.0, (REMEMBERED_TOKENS - weight) / known.tokens)
        rate = TokenRate(known.bytes * fading + weight * reported, known.tokens * fading + weight)
        return TokenRates({**self.learned, key: rate})


def kind_of_text(text: str) -> TextKind:
    """Judged by the beginning: the rest of a long text is mostly alike."""
    words = " ".join(text[:SAMPLE_CHARACTERS].split())
    if _begins_json(words):
        return "json"
    sample = words.encode(errors="replace")
    # In one go, as owners ask for every result: not a step of Python for every character.
    others = len(sample.translate(None, SPOKEN))
    return "logs" if others > (1 - PROSE_SHARE) * len(sample) else "prose"


def _begins_json(words: str) -> bool:
    """A line of a log may begin with a bracket, too: `[2026-11-23 10:00:00]`."""
    opened, following = words[:1], words[1:3].lstrip()[:1]
    return (opened == "{" and following in ('"', "}")) or (opened == "[" and following in ("{", "[", '"', "]"))
