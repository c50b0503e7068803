"""HTTP policy of a process: names that it answers to, origins beside its own, and limits of its port."""

from collections.abc import Collection
from dataclasses import dataclass, field

from tarsy_service.allowed_hosts import AllowedHosts
from tarsy_service.bounded_http import HttpLimits


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """The default answers to addresses and to localhost, and to pages from there."""

    hosts: AllowedHosts = field(default_factory=AllowedHosts)
    origins: Collection[str] = ()
    limits: HttpLimits = field(default_factory=HttpLimits)


DEFAULT_POLICY = HttpPolicy()
