"""Browsers let any page open a WebSocket to anywhere, and say which page it was: only ours may."""

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def may_connect(headers: Mapping[str, str], allowed: Collection[str]) -> bool:
    """A client that is no browser sends no Origin, and could send any."""
    origin = headers.get("origin")
    if origin is None or origin in allowed:
        return True
    try:
        parts = urlsplit(origin)
        return parts.hostname in LOCAL or parts.netloc == headers.get("host")
    except ValueError:
        return False
