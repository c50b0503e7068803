"""The HTTP client that every adapter of a real model gives to its SDK."""

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
WRITE_SECONDS = 60.0
"""A conversation can be megabytes, and the line slow."""


def http_client(base_url: str | None) -> "httpx2.AsyncClient":
    """Limits the way to the provider, not the silence of the model: `LimitedLlm` does that, and it knows how long.

    The proxies of the environment are used, but not for a model on this machine.
    """
    # Only who asks a real model pays for the import.
    import httpx2

    limits = httpx2.Timeout(None, connect=CONNECT_SECONDS, write=WRITE_SECONDS)
    return httpx2.AsyncClient(timeout=limits, trust_env=not _is_loopback(base_url))


def _is_loopback(base_url: str | None) -> bool:
    host = urlsplit(base_url or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
