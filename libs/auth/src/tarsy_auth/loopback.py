"""Addresses of this machine: what goes to them crosses no network."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback_host(host: str) -> bool:
    """Whether a server that listens on it is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_loopback(url: str) -> bool:
    """Raises ValueError for what is no address."""
    host = urlsplit(url).hostname or ""
    return is_loopback_host(host) or host.endswith(".localhost")
