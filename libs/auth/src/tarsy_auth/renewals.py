"""Renewals that are asked for at once: the provider is asked once for each refresh token.

A provider that rotates refresh tokens takes the second use of one for theft, and ends the login. Two tabs of a browser
may ask with the same token, and a browser that lost the answer asks again. All get the first answer.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

KEPT_SECONDS = 60.0
MOST_KEPT = 1_000


@dataclass(slots=True)
class _Renewal[T]:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    answer: T | None = None
    until: float = float("inf")
    waiting: int = 0


class Renewals[T]:
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._known: OrderedDict[bytes, _Renewal[T]] = OrderedDict()

    async def once(self, token: str, renew: Callable[[], Awaitable[T]]) -> T:
        """Raises what `renew` raises: a failure is no answer, and the next one asks again."""
        digest = hashlib.sha256(token.encode()).digest()
        self._forget_old()
        one = self._known.setdefault(digest, _Renewal())
        one.waiting += 1
        try:
            async with one.lock:
                if one.answer is None:
                    one.answer = await renew()
                    one.until = self._monotonic() + KEPT_SECONDS
                return one.answer
        finally:
            one.waiting -= 1
            if one.answer is None and not one.waiting:
                self._known.pop(digest, None)

    def _forget_old(self) -> None:
        now = self._monotonic()
        ended = [digest for digest, one in self._known.items() if not one.waiting and one.until <= now]
        kept = [digest for digest, one in self._known.items() if not one.waiting]
        for digest in {*ended, *kept[: max(0, len(kept) - MOST_KEPT)]}:
            del self._known[digest]
