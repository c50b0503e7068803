"""Templates of log entries: plain text with places in angle brackets that are drawn anew for each entry.

`<t>` is the time (`<t1>` and `<t2>` its halves, where it is written in two ways with a tab between), `<n+500>` the
entry's number plus 500, `<3-90>` a whole number, `<~80>` a whole number with a long tail around 80, `<~80/3>` the same
with three digits after the point, `<ip>` a public address, `<hex8>` eight hexadecimal digits, `<id5>` five letters and
digits, `<uuid>` a UUID, `<a|b|c>` a choice. `<x=3-90>` draws and keeps under a name, `<=x>` repeats the kept value.
`<sum2/40>` is a number around 2, one around 40 and about their sum. `<->` and single words in capital letters, as
`<NOSRV>`, stand as they are.
"""

import math
import random
import re
from collections.abc import Mapping
from statistics import NormalDist

from .log_layout import Kind, Kinds

__all__ = ["as_json", "fill", "weighted"]

_PLACE = re.compile(r"<([^<>]+)>")
_NAMED = re.compile(r"([a-z]*)=(.*)")
_TAIL = [math.exp(0.6 * NormalDist().inv_cdf((step + 0.5) / 2048)) for step in range(2048)]
"""Evenly likely factors of a log-normal distribution around 1."""
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def weighted(*entries: tuple[float, str]) -> Kinds:
    """Kinds of entries from weights and templates."""
    return tuple((weight, fill(template)) for weight, template in entries)


def fill(template: str) -> Kind:
    """The kind of entry that a template describes."""
    parts = _PLACE.split(template.replace("{", "{{").replace("}", "}}"))
    fields: list[Kind] = []
    kept: dict[str, int] = {}
    for at in range(1, len(parts), 2):
        named = _NAMED.fullmatch(parts[at])
        name, spec = (named[1], named[2]) if named else ("", parts[at])
        if named and not name:
            parts[at] = f"{{{kept[spec]}}}"
            continue
        if name:
            kept[name] = len(fields)
        parts[at] = f"{{{len(fields)}}}"
        fields.append(_field(spec))
    shape = "".join(parts).format

    def entry(time: str, number: int, drawn: random.Random) -> str:
        return shape(*[field(time, number, drawn) for field in fields])

    return entry


def as_json(fields: Mapping[str, str | int]) -> str:
    """A template of one JSON object: strings in quotes, except those that begin with `#`, which stand as they are."""
    return "{" + ", ".join(f'"{name}": {_json_value(value)}' for name, value in fields.items()) + "}"


def _json_value(value: str | int) -> str:
    if isinstance(value, str):
        return value[1:] if value.startswith("#") else f'"{value}"'
    return str(value)


def _field(spec: str) -> Kind:
    """The drawing of one place."""
    if spec == "t":
        return lambda time, _number, _drawn: time
    if spec in {"t1", "t2"}:
        half = int(spec[1]) - 1
        return lambda time, _number, _drawn: time.split("\t")[half]
    if spec.startswith("n+"):
        base = int(spec[2:])
        return lambda _time, number, _drawn: str(base + number)
    return _draw(spec)


def _draw(spec: str) -> Kind:
    """The drawing of a place that depends on neither the time nor the number."""
    if spec == "ip":
        return _public_address
    if spec == "uuid":
        return _uuid
    if spec.startswith("hex"):
        digits = int(spec[3:])
        return lambda _time, _number, drawn: f"{drawn.getrandbits(4 * digits):0{digits}x}"
    if spec.startswith("id") and spec[2:].isdigit():
        length = int(spec[2:])
        return lambda _time, _number, drawn: "".join(drawn.choices(_LETTERS, k=length))
    if spec.startswith("~"):
        middle, _, places = spec[1:].partition("/")
        return _long_tail(float(middle), int(places or 0))
    if spec.startswith("sum"):
        first, _, second = spec[3:].partition("/")
        return _parts_and_sum(float(first), float(second))
    if span := re.fullmatch(r"(\d+)-(\d+)", spec):
        low, width = int(span[1]), int(span[2]) - int(span[1]) + 1
        return lambda _time, _number, drawn: str(low + int(drawn.random() * width))
    return _choice(spec)


def _choice(spec: str) -> Kind:
    """One out of several words, or a single word in capital letters with its brackets."""
    words = spec.split("|") if "|" in spec else [f"<{spec}>"] if spec.isupper() or spec == "-" else []
    if not words:
        message = f"unknown place in a template: {spec}"
        raise ValueError(message)
    number_of_words = len(words)
    return lambda _time, _number, drawn: words[int(drawn.random() * number_of_words)]


def _long_tail(middle: float, places: int) -> Kind:
    """A number around the middle, now and then several times as large."""
    if places == 0:
        return lambda _time, _number, drawn: str(int(middle * _TAIL[int(drawn.random() * len(_TAIL))] + 0.5))
    return lambda _time, _number, drawn: (
        f"{middle * _TAIL[int(drawn.random() * len(_TAIL))] + drawn.random():.{places}f}"
    )


def _parts_and_sum(first: float, second: float) -> Kind:
    """Two numbers with long tails and a little more than their sum, with slashes between."""

    def drawing(_time: str, _number: int, drawn: random.Random) -> str:
        one = int(first * _TAIL[int(drawn.random() * len(_TAIL))] + 0.5)
        two = int(second * _TAIL[int(drawn.random() * len(_TAIL))] + 0.5)
        return f"{one}/{two}/{one + two + int(drawn.random() * 3)}"

    return drawing


def _uuid(_time: str, _number: int, drawn: random.Random) -> str:
    """A random UUID as text."""
    text = f"{drawn.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def _public_address(_time: str, _number: int, drawn: random.Random) -> str:
    """A public IPv4 address; a few visitors come again and again."""
    third = int(drawn.random() ** 3 * 250)
    return f"{23 + third % 7 * 24}.{third}.{int(drawn.random() * 40)}.{2 + int(drawn.random() * 250)}"
