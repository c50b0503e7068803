"""Guard against SSRF: resolves a runbook's host, and decides whether a runbook may come from its addresses."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from tarsy_contracts.runbook_urls import USUAL_PORTS, RunbookUrl, RunbookUrlRefusedError, is_listed_by_name
from tarsy_tool_gateway.errors import ToolGatewayError

MOST_LOOKUPS = 4
NAT64 = IPv6Network("64:ff9b::/96")


class ResolvedAddress(NamedTuple):
    address: str
    port: int


type Find = Callable[[RunbookUrl], Awaitable[Sequence[ResolvedAddress]]]
"""Raises UnknownHostError, RunbookUrlRefusedError."""
type Lookup = Callable[[str, int], Awaitable[Sequence[ResolvedAddress]]]


class UnknownHostError(ToolGatewayError):
    """No DNS knows the host. The operator corrects the address of the runbook."""


class SystemLookup:
    """Uses its own threads: a lookup at a dead DNS server cannot be stopped, and must not block others."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MOST_LOOKUPS, thread_name_prefix="runbook-dns")

    async def __call__(self, host: str, port: int) -> Sequence[ResolvedAddress]:
        """Raises UnknownHostError."""
        ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        try:
            rows = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        except (OSError, UnicodeError):
            raise UnknownHostError(host) from None
        return list(dict.fromkeys(ResolvedAddress(str(row[4][0]), int(row[4][1])) for row in rows))


async def resolve_endpoints(url: RunbookUrl, *, domains: Collection[str], lookup: Lookup) -> Sequence[ResolvedAddress]:
    """Where to connect to: this answer of the DNS, and not the next one.

    Raises UnknownHostError or RunbookUrlRefusedError.
    """
    found = await lookup(url.host, url.port or USUAL_PORTS[url.scheme])
    listed = is_listed_by_name(url, domains)
    endpoints = [endpoint for endpoint in found if _is_open(endpoint.address, url.host, listed=listed)]
    if found and not endpoints:
        raise RunbookUrlRefusedError("leads into a network that runbooks may not come from")
    return endpoints


def _is_open(text: str, host: str, *, listed: bool) -> bool:
    """Allows the public network always, and an inner network for hosts that the operator named. This machine and
    link-local addresses (where clouds keep credentials) need the address itself, or localhost.
    """
    address = _embedded_ipv4(ip_address(text.partition("%")[0]))
    if address.is_multicast or address.is_unspecified:
        return False
    if address.is_global:
        return True
    if not listed:
        return False
    if address.is_loopback or address.is_link_local or address.is_reserved:
        return host in (str(address), "localhost")
    return True


def _embedded_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
