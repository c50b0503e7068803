"""Proxies of the environment, and the addresses that are asked without one (NO_PROXY, also with networks).

Libraries read these variables differently: some know no networks, others no NO_PROXY. So our own clients ask here.
"""

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def proxy_for(address: str) -> str | None:
    if bypasses_proxy(address):
        return None
    proxies = getproxies()
    proxy = proxies.get(urlsplit(address).scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def bypasses_proxy(address: str | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Everything inside is always asked directly: this machine, and names without a dot, which no proxy could find."""
    host = urlsplit(address or "").hostname or ""
    if not host:
        return False
    return is_loopback(address) or _has_no_dot(host) or bool(proxy_bypass(host)) or _in_network(host, environ)


def is_loopback(address: str | None) -> bool:
    host = urlsplit(address or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _has_no_dot(host: str) -> bool:
    return "." not in host and ":" not in host


def _in_network(host: str, environ: Mapping[str, str]) -> bool:
    """`10.0.0.0/8` among the names: the standard library and httpx compare words only."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    names = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return any(_holds(name.strip(), ip) for name in names.split(",") if "/" in name)


def _holds(network: str, ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    try:
        return ip in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
