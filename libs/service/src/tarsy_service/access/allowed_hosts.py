"""Names that a service may be asked by (`Host`), and origins whose pages may write: the rule against DNS rebinding.

A page of a stranger reaches a service behind the browser by a *name* that the stranger points at it. A browser sends an
address in `Host` only to that address, and a page from there is ours.
So every IP address may be named (probes and Prometheus do), and of names only those that are known.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address

LOCALHOST = "localhost"
NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{0,5}))?")
ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#@\s]+)")
DEFAULT_PORTS = {"http": "80", "https": "443"}
WILDCARD = "*."


@dataclass(frozen=True, slots=True)
class Authority:
    """`name` in lower case, without the dot of the root. `port` is empty where none was said."""

    name: str
    port: str


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """`names` are asked for exactly; `domains` (`.example.com`) stand for every name below them."""

    names: frozenset[str] = frozenset()
    domains: tuple[str, ...] = ()

    def includes(self, name: str) -> bool:
        """`name`: of an Authority."""
        return name == LOCALHOST or name in self.names or name.endswith(self.domains) or is_address(name)

    def and_names(self, *names: str) -> "AllowedHosts":
        return AllowedHosts(self.names | {_normalize_host(name) for name in names if name}, self.domains)


def parse_allowed_hosts(listed: str) -> AllowedHosts:
    """Reads `TARSY_HOSTS`. Raises ValueError, with a sentence for the operator."""
    entries = [_normalize_host(entry) for entry in listed.split(",") if entry.strip()]
    for entry in entries:
        if NAME.fullmatch(entry.removeprefix(WILDCARD)) is None and not is_address(entry):
            raise ValueError("a comma list of names such as tarsy.example.com or *.example.com, without scheme or port")
    domains = tuple(entry.removeprefix("*") for entry in entries if entry.startswith(WILDCARD))
    return AllowedHosts(frozenset(entry for entry in entries if not entry.startswith(WILDCARD)), domains)


def authority_of(value: str) -> Authority | None:
    """The value of a `Host` header; None when it is none."""
    found = AUTHORITY.fullmatch(value)
    if found is None:
        return None
    v6, name, port = found.group("v6", "name", "port")
    if v6 is not None and not is_address(v6):
        return None
    return Authority(_normalize_host(v6 or name), port or "")


def is_own_origin(origin: str, requested: Authority, hosts: AllowedHosts) -> bool:
    """Whether a page is ours: of the host that it asks, or of a name in `hosts`, on the port of its scheme.

    The scheme is not compared: a proxy that ends TLS asks us in plain text. A wildcard says which names may be asked
    for, not that all pages below it are ours.
    """
    found = ORIGIN.fullmatch(origin)
    page = authority_of(found.group("authority")) if found is not None else None
    if found is None or page is None:
        return False
    usual = DEFAULT_PORTS[found.group("scheme")]
    if page.name == requested.name and (page.port or usual) == (requested.port or usual):
        return True
    return page.name in hosts.names and page.port in ("", usual)


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _normalize_host(name: str) -> str:
    return name.strip().lower().removesuffix(".")
