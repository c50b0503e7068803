"""STAND-IN, dropped at the merge: nobody is known here."""

from collections.abc import Awaitable, Callable

from tarsy_auth.auth_file import AuthConfig
from tarsy_auth.identity import Authenticate, Identity, Refusal

type Fetch = Callable[[str], Awaitable[bytes]]


def authenticator(config: AuthConfig, fetch: Fetch, now: Callable[[], float]) -> Authenticate:
    async def authenticate(header: str | None) -> Identity | Refusal:
        return Refusal("missing" if header is None else "unknown", "STAND-IN")

    return authenticate
