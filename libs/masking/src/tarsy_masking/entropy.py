"""Entropy checks: whether a value looks random, which no regex can say."""

import re
from collections import Counter
from itertools import pairwise
from math import log2

# 32 characters of base64 have 4.3 to 4.8 bits each, and three of five differ in kind from the one before.
_BITS = 3.9
_CHANGES = 0.4
_ENOUGH = 256
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
    return changes >= _CHANGES * len(kinds) and _bits(start) >= _BITS


def has_chance_digits(value: bytes) -> bool:
    """Letters and digits without the form of a UUID, whatever the letters."""
    return any(48 <= mark <= 57 for mark in value) and not _UUID.fullmatch(value)


def looks_like_base64(value: bytes) -> bool:
    return value.endswith(b"=") or {1, 2, 3} <= set(value[:_ENOUGH].translate(_KINDS))


def _bits(value: bytes) -> float:
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())
