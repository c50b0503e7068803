"""HTTP policy of a process: names that it answers to, origins beside its own, limits, and who may ask."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tarsy_auth.identity import Authenticate
from tarsy_service.access.allowed_hosts import AllowedHosts
from tarsy_service.access.signed_bodies import FindWebhooks
from tarsy_service.http.bounded_http import HttpLimits

if TYPE_CHECKING:
    from tarsy_auth.login import Login

type FindLogin = Callable[[], Awaitable["Login | None"]]
"""The login of the page as it is configured now; None without one."""


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """The default answers to addresses and to localhost, and to pages from there. Without `authenticate` everybody may
    ask for everything. `webhooks` finds those who may sign instead, `login` that of the page.

    `base_path`: as `read_base_path` returns it.
    """

    hosts: AllowedHosts = field(default_factory=AllowedHosts)
    origins: Collection[str] = ()
    limits: HttpLimits = field(default_factory=HttpLimits)
    authenticate: Authenticate | None = None
    webhooks: FindWebhooks | None = None
    login: FindLogin | None = None
    base_path: str = ""


DEFAULT_POLICY = HttpPolicy()
