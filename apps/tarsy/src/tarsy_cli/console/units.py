"""Counts and sizes, as words."""

STEPS = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000))


def format_count(number: object, noun: str) -> str:
    """`1 line`, `100,000 lines`; `? lines` of what is not known."""
    if not isinstance(number, int):
        return f"? {noun}s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_size(number: object) -> str:
    """`897 bytes`, `10.8 MB`."""
    if isinstance(number, int):
        for unit, step in STEPS:
            if number >= step:
                return f"{number / step:.1f} {unit}"
    return format_count(number, "byte")
