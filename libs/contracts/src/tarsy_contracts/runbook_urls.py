"""Where runbooks may come from: one rule for those who take an address and for the one who fetches it.

An entry is a host (`github.com`) or all hosts below a domain (`.example.org`, not `example.org` itself), each with an
optional port. Without a port the entry is for the usual port of the scheme only. Addresses in
numbers count as hosts: only one that is listed just so is allowed.
"""

from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from tarsy_contracts.errors import ContractError

LONGEST = 2000
USUAL_PORTS = {"http": 80, "https": 443}
KEPT_IN_PATHS = "/%:@!$&'()*+,;=~"
KEPT_IN_QUERIES = KEPT_IN_PATHS + "?"
HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.:")


class RunbookUrlRefusedError(ContractError, ValueError):
    """Says what is wrong with an address, and repeats nothing of it: "is longer than 2000 characters".

    The caller gives another address.
    """


@dataclass(frozen=True, slots=True)
class RunbookUrl:
    """An address in its parts, so that nobody reads it in another way. `port`: where it is not the usual one.

    `path` and `query` are encoded already. The fragment (after a `#`) is gone.
    """

    scheme: str
    host: str
    port: int | None
    path: str
    query: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def require_allowed_runbook_url(text: str, domains: Collection[str]) -> RunbookUrl:
    """Raises RunbookUrlRefusedError."""
    url = read_runbook_url(text)
    if not any(_is_covered_by(entry, url) for entry in domains):
        known = ", ".join(domains) if domains else "none"
        raise RunbookUrlRefusedError(f"is at a host that runbooks may not come from (allowed: {known})")
    return url


def is_listed_by_name(url: RunbookUrl, domains: Collection[str]) -> bool:
    """Whether an entry is for this very host, and not for all below a domain."""
    return any(_is_covered_by(entry, url) for entry in domains if not entry.startswith("."))


def read_runbook_url(text: str) -> RunbookUrl:
    """Raises RunbookUrlRefusedError for what is not an address, or one that two programs could read differently."""
    if len(text) > LONGEST:
        raise RunbookUrlRefusedError(f"is longer than {LONGEST} characters")
    if "\\" in text or any(not character.isprintable() or character.isspace() for character in text):
        raise RunbookUrlRefusedError("holds characters that no address has")
    try:
        parts = urlsplit(text)
        host, port = _normalize_host(parts.hostname or ""), parts.port
    except ValueError:
        raise RunbookUrlRefusedError("is not an address") from None
    if parts.scheme not in USUAL_PORTS:
        raise RunbookUrlRefusedError("is not an http or https address")
    if "@" in parts.netloc:
        raise RunbookUrlRefusedError("holds a user or a password")
    if not host or not HOST_CHARACTERS.issuperset(host):
        raise RunbookUrlRefusedError("has no host, or one that is not written in plain letters")
    return RunbookUrl(
        scheme=parts.scheme,
        host=host,
        port=None if port == USUAL_PORTS[parts.scheme] else port,
        path=quote(parts.path or "/", safe=KEPT_IN_PATHS),
        query=quote(parts.query, safe=KEPT_IN_QUERIES),
    )


def _is_covered_by(entry: str, url: RunbookUrl) -> bool:
    try:
        parts = urlsplit(f"//{entry.lower()}")
        host, port = _normalize_host(parts.hostname or ""), parts.port
    except ValueError:
        return False
    same_port = url.port is None if port is None else port == (url.port or USUAL_PORTS[url.scheme])
    if entry.startswith("."):
        return same_port and len(host) > 1 and url.host.endswith(host) and url.host != host
    return same_port and bool(host) and url.host == host


def _normalize_host(text: str) -> str:
    """An IPv6 address has many ways to be written."""
    return str(ip_address(text)) if ":" in text else text
