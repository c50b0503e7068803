"""The JWKS of an OpenID provider: fetched when needed, kept while it is fresh, used for a day while nobody answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from tarsy_auth.errors import AuthError
from tarsy_auth.signing_keys import SigningKey, read_signing_keys

FRESH_SECONDS = 600.0
"""Keys that are older are fetched again, in the background of a request."""
STALE_SECONDS = 86_400.0
"""Keys that are older are used no more: the provider may have taken one back, and nobody has told us."""
PAUSE_SECONDS = 10.0
"""The least time between two fetches: anybody can send a key id that nobody knows, and must not flood the provider."""

type Fetch = Callable[[str], Awaitable[bytes]]
"""From an address to the body of its answer. Ends by itself, and raises for any other answer."""
type Now = Callable[[], float]
"""Seconds since 1970."""

log = logging.getLogger(__name__)


class JwksUnavailableError(AuthError):
    """The provider does not give us its keys. We ask again later, and so may the caller."""


class Jwks:
    """One fetch at a time for all callers."""

    def __init__(self, url: str, fetch: Fetch, now: Now) -> None:
        self._url = url
        self._fetch = fetch
        self._now = now
        self._keys: dict[str | None, SigningKey] = {}
        self._fetched_at = 0.0
        self._attempted_at: float | None = None
        self._last_failed = False
        self._refresh: asyncio.Task[None] | None = None

    def current(self, kid: str | None) -> SigningKey | None:
        """The key, if it is here. Waits for nothing."""
        # Negative when the clock was set back: then nothing is known about the age.
        age = self._now() - self._fetched_at
        if not self._keys or age >= STALE_SECONDS:
            return None
        if not 0 <= age < FRESH_SECONDS:
            self._begin_refresh()
        return self._keys.get(kid)

    async def find(self, kid: str | None) -> SigningKey | None:
        """The key, fetched if need be. None: the provider does not have it. Raises JwksUnavailableError."""
        found = self.current(kid)
        if found is None and (refresh := self._begin_refresh()):
            # A caller that goes away does not end it: others wait, too.
            await asyncio.shield(refresh)
            found = self.current(kid)
        if found is None and self._last_failed:
            raise JwksUnavailableError(f"The keys of {self._url} cannot be read.")
        return found

    def _begin_refresh(self) -> asyncio.Task[None] | None:
        """The fetch that runs; None when it is too early for another one."""
        if self._refresh is None or self._refresh.done():
            now = self._now()
            if self._attempted_at is not None and 0 <= now - self._attempted_at < PAUSE_SECONDS:
                return None
            self._attempted_at = now
            self._refresh = asyncio.create_task(self._load_keys())
        return self._refresh

    async def _load_keys(self) -> None:
        try:
            keys = read_signing_keys(await self._fetch(self._url))
        except Exception as problem:  # noqa: BLE001 - whatever the provider or the way to it does, keys that we have count
            self._last_failed = True
            log.warning("The keys of %s cannot be read: %s", self._url, str(problem) or type(problem).__name__)
            return
        self._keys = _keys_by_kid(keys)
        self._fetched_at = self._now()
        self._last_failed = False


def _keys_by_kid(keys: Sequence[SigningKey]) -> dict[str | None, SigningKey]:
    """A token without `kid` can only mean the one key that there is."""
    if len(keys) == 1:
        return {None: keys[0], keys[0].kid: keys[0]}
    return {key.kid: key for key in keys if key.kid is not None}
