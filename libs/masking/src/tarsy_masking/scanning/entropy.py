"""Entropy checks: whether a value looks random, which no regex can say."""

import re
from collections import Counter
from itertools import pairwise
from math import log2

# 32 characters of base64 have 4.3 to 4.8 bits each, and three of five differ in kind from the one before.
_BITS = 3.9
_CHANGES = 0.4
_ENOUGH = 256
_SHORTEST = 10
_RUN = 12
_LONG = 20
_FEW_CHANGES = 0.2
_SHORT_PASSWORD = 5
_RUNS = re.compile(rb"[^A-Za-z0-9+/=]+")
_HEX = re.compile(rb"[0-9a-fA-F]+")
# Paths, addresses, dates, versions.
_NO_CHANCE = re.compile(
    rb"(?i)(?:\.{0,2}/|[a-z]:\\|[a-z][a-z0-9+.-]*://|arn:).*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|v?[0-9]+(?:[.:_-][0-9]+)+.*"
)
_OUTCOME = re.compile(
    rb"(?i)[-+0-9.,%/:]+[a-z]{0,2}(?:[ \t,;|]+[a-z]+[:=]?[ \t]*[0-9]+)*"
    rb"|[a-z]+(?:[ \t]+[a-z0-9.,:()-]+)+|(?:all|any)[ \t].*"
    rb"|[a-z]*(?:true|false|none|null|pass(?:ed|es)?|fail(?:ed|s|ure)?|skipp?(?:ed)?|ok|done|error|neutral"
    rb"|softfail|through|phrase|port|word|ing|ive)"
)
_UUID = re.compile(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_KINDS = bytes(
    1 if chr(byte).islower() else 2 if chr(byte).isupper() else 3 if chr(byte).isdigit() else 0 for byte in range(128)
) + bytes(128)


def looks_random(value: bytes) -> bool:
    """Small and capital letters and digits, in the disorder that keys have; words, paths and hex digests have not."""
    start = value[:_ENOUGH]
    kinds = start.translate(_KINDS).replace(b"\0", b"")
    if not {1, 2, 3} <= set(kinds):
        return False
    changes = sum(before != after for before, after in pairwise(kinds))
    return changes >= _CHANGES * len(kinds) and _entropy_bits(start) >= _BITS


def looks_made_by_chance(value: bytes) -> bool:
    """A long run of letters and digits in disorder, as keys have: no UUID, no version, no words with numbers."""
    start = value[:_ENOUGH]
    if len(start) < _SHORTEST or _UUID.fullmatch(start) or _NO_CHANCE.fullmatch(start):
        return False
    run = max(_RUNS.split(start), key=len)
    kinds = set(run.translate(_KINDS))
    if 3 not in kinds or not kinds & {1, 2}:
        return len(run) >= _LONG and {1, 2} <= kinds and _is_mixed(run, _CHANGES)
    if _HEX.fullmatch(run):
        return len(run) >= _LONG and len(set(run)) >= _SHORTEST - 2
    if len(run) < _RUN:
        return len(start) >= _LONG and {1, 2, 3} <= kinds | set(start.translate(_KINDS)) and _is_mixed(start, _CHANGES)
    return _is_mixed(run, _FEW_CHANGES)


def _is_mixed(value: bytes, least: float) -> bool:
    kinds = value.translate(_KINDS).replace(b"\0", b"")
    changes = sum(before != after for before, after in pairwise(kinds))
    return changes >= least * len(kinds) and len(set(value)) >= len(value) / 4


def looks_like_password(value: bytes) -> bool:
    """No count, no word that says how something went."""
    return len(value) >= _SHORT_PASSWORD and not _OUTCOME.fullmatch(value)


def looks_chosen(value: bytes) -> bool:
    """Whether it is as rules for passwords want it, or made by chance. Digests and ids are not."""
    if _HEX.fullmatch(value) or _UUID.fullmatch(value) or _NO_CHANCE.fullmatch(value):
        return False
    kinds = set(value.translate(_KINDS))
    return {1, 2, 3} <= kinds or (1 in kinds and looks_made_by_chance(value))


def has_chance_digits(value: bytes) -> bool:
    """Letters and digits without the form of a UUID, whatever the letters."""
    return any(48 <= mark <= 57 for mark in value) and not _UUID.fullmatch(value)


def looks_like_base64(value: bytes) -> bool:
    return value.endswith(b"=") or {1, 2, 3} <= set(value[:_ENOUGH].translate(_KINDS))


def _entropy_bits(value: bytes) -> float:
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())
