"""The encodings in which the page's files are kept, and which of them a browser takes (RFC 9110, section 12.5.3)."""

import gzip
from collections.abc import Mapping

import cramjam

BROTLI_QUALITY = 5
"""9 takes thirty times as long at each start, which is 0.6 s of CPU, for half a percent less; 11 fifty, for a tenth."""
GZIP_LEVEL = 6
SMALLEST = 256
"""Smaller files do not become smaller."""


def encoded(body: bytes) -> Mapping[str, bytes]:
    """By the name of the encoding, the best first; empty when none makes it smaller."""
    if len(body) < SMALLEST:
        return {}
    made = {
        "br": bytes(cramjam.brotli.compress(body, level=BROTLI_QUALITY)),
        "gzip": gzip.compress(body, compresslevel=GZIP_LEVEL, mtime=0),
    }
    return {name: one for name, one in made.items() if len(one) < len(body)}


def best_encoding(accepted: str, offered: Mapping[str, bytes]) -> str | None:
    """The first of `offered` that the header `Accept-Encoding` names with a weight that is not zero."""
    weights = dict(_weight(part) for part in accepted.lower().split(","))
    return next((name for name in offered if weights.get(name, weights.get("*", 0.0)) > 0), None)


def _weight(part: str) -> tuple[str, float]:
    name, _, parameters = part.partition(";")
    key, _, value = parameters.partition("=")
    if key.strip() != "q":
        return name.strip(), 1.0
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), 0.0
