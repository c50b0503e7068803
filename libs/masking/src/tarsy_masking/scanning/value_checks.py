"""Checks of values by the names that patterns give them: what no regex says."""

from collections.abc import Callable, Mapping

from tarsy_masking.scanning.entropy import (
    has_chance_digits,
    looks_chosen,
    looks_like_base64,
    looks_like_password,
    looks_made_by_chance,
    looks_random,
)
from tarsy_masking.scanning.luhn import has_check_digit

type Check = Callable[[bytes], bool]

CHECKS: Mapping[str, Check] = {
    "random": looks_random,
    "base64": looks_like_base64,
    "digits": has_chance_digits,
    "chance": looks_made_by_chance,
    "chosen": looks_chosen,
    "password": looks_like_password,
    "card": has_check_digit,
}

BESIDE_NAMES = (looks_random, looks_made_by_chance, looks_like_password, looks_chosen)
"""Checks for patterns that find a value next to a name."""
