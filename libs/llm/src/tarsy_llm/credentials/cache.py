"""Cache of one credential: all calls share it, one fetch at a time renews it, and nobody waits longer than a limit."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from tarsy_llm.credentials.threads import start_in_thread
from tarsy_llm.protocol import LlmCallError

LIMIT_SECONDS = 30.0
"""A call waits no longer for its credential."""
AHEAD_SECONDS = 300.0
"""So long before its end a credential is renewed, while calls go on with it."""
LEAST_SECONDS = 15.0
"""With less left, a credential could end on its way."""
PAUSE_SECONDS = 30.0
"""Between two attempts to renew a credential that is still good."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Lease[T]:
    """A credential until it ends, in seconds of the epoch; None: it does not."""

    value: T = field(repr=False)
    ends_at: float | None = None


class CredentialCache[T]:
    """`fetch` blocks, has time limits of its own, and raises LlmCallError. `cloud` names it in sentences."""

    def __init__(
        self,
        cloud: str,
        fetch: Callable[[], Lease[T]],
        *,
        limit_seconds: float = LIMIT_SECONDS,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._cloud = cloud
        self._fetch = fetch
        self._limit_seconds = limit_seconds
        self._now = now
        self._lease: Lease[T] | None = None
        self._fetching: asyncio.Future[Lease[T]] | None = None
        self._not_before = 0.0

    async def current(self) -> T:
        """Raises LlmCallError."""
        lease = self._lease
        if lease is not None and self._left(lease) > LEAST_SECONDS:
            if self._left(lease) <= AHEAD_SECONDS and self._now() >= self._not_before:
                self._start()
            return lease.value
        return (await self._wait(self._start())).value

    @property
    def kept(self) -> Lease[T] | None:
        return self._lease

    def discard(self, lease: Lease[T]) -> None:
        """The server refused it: the next call gets another, unless it has been renewed already."""
        if self._lease is lease:
            self._lease = None

    def _left(self, lease: Lease[T]) -> float:
        return float("inf") if lease.ends_at is None else lease.ends_at - self._now()

    def _start(self) -> "asyncio.Future[Lease[T]]":
        """The fetch that runs, or a new one. One that hangs is not joined by others: calls wait for the same."""
        if self._fetching is None:
            self._not_before = self._now() + PAUSE_SECONDS
            self._fetching = start_in_thread(self._fetch, f"credentials of {self._cloud}")
            self._fetching.add_done_callback(self._end)
        return self._fetching

    def _end(self, fetching: "asyncio.Future[Lease[T]]") -> None:
        self._fetching = None
        if fetching.cancelled():
            return
        problem = fetching.exception()
        if problem is None:
            self._lease = fetching.result()
        else:
            reason = str(problem) if isinstance(problem, LlmCallError) else type(problem).__name__
            log.warning("llm.credentials_not_renewed", cloud=self._cloud, reason=reason)

    async def _wait(self, fetching: "asyncio.Future[Lease[T]]") -> Lease[T]:
        try:
            async with asyncio.timeout(self._limit_seconds):
                return await asyncio.shield(fetching)
        except TimeoutError:
            message = f"{self._cloud} gave no credentials within {self._limit_seconds:g} seconds: see its token server"
            raise LlmCallError(message, kind="provider_error") from None
        except LlmCallError as problem:
            # Several calls wait for one fetch, and each adds to its own error.
            raise LlmCallError(str(problem), kind=problem.kind) from None
        except Exception as problem:  # noqa: BLE001 - libraries of clouds raise what they like; its words may hold secrets
            message = f"{self._cloud} gave no credentials ({type(problem).__name__})"
            raise LlmCallError(message, kind="credentials") from None
