"""The check digit of card numbers (ISO/IEC 7812-1): nine of ten other numbers do not have it."""

_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""Sums of the digits of twice a digit."""


def has_check_digit(number: bytes) -> bool:
    """Blanks and dashes do not count. The same digit again and again is no number of a card."""
    digits = [byte - 48 for byte in reversed(number) if 48 <= byte <= 57]
    total = sum(digits[::2]) + sum(_DOUBLED[digit] for digit in digits[1::2])
    return total % 10 == 0 and len(set(digits)) > 1
