"""The encodings in which the page's files are kept."""

import gzip
from collections.abc import Mapping

import cramjam

BROTLI_QUALITY = 9
"""11 takes ten times as long at each start, which is 1.2 s of CPU, for eight percent less."""
GZIP_LEVEL = 6
SMALLEST = 256
"""Smaller files do not become smaller."""


def compress_page(body: bytes) -> Mapping[str, bytes]:
    """By the name of the encoding, the best first; empty when none makes it smaller."""
    if len(body) < SMALLEST:
        return {}
    made = {
        "br": bytes(cramjam.brotli.compress(body, level=BROTLI_QUALITY)),
        "gzip": gzip.compress(body, compresslevel=GZIP_LEVEL, mtime=0),
    }
    return {name: one for name, one in made.items() if len(one) < len(body)}
