"""The circuit breakers of all providers of a process. They only choose whom to ask: the log says who answered."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Protocol

from tarsy_contracts.messages.workers import FailingProvider
from tarsy_llm.circuit import CLOSED, UNAVAILABLE, Circuit
from tarsy_llm.protocol import Llm, LlmCallError

FAILED_LATELY, NOT_ASKED = 1, 2
"""Ranks behind those that answer."""


class CircuitMetrics(Protocol):
    def watch_provider(self, provider: str, is_failing: Callable[[], bool]) -> None: ...
    def count_skipped(self, provider: str) -> None: ...


class Circuits:
    """`llms`: the providers that can be asked now. One whose settings were changed begins anew."""

    def __init__(
        self,
        llms: Mapping[str, Llm],
        metrics: CircuitMetrics,
        *,
        monotonic: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._llms = llms
        self._metrics = metrics
        self._monotonic = monotonic
        self._now = now
        self._circuits: dict[str, tuple[Llm, Circuit]] = {}

    def may_ask(self, provider: str) -> bool:
        """False also for one that is not configured here."""
        return provider in self._llms and self._find(provider).may_ask(self._monotonic())

    def skips(self, provider: str, others: Iterable[str]) -> bool:
        """Whether one of `others` is to be asked in its stead. Where all of them fail, it is asked as ever."""
        if provider not in self._llms or self.may_ask(provider) or not any(map(self.may_ask, others)):
            return False
        self._metrics.count_skipped(provider)
        return True

    def order(self, providers: Sequence[str]) -> tuple[str, ...]:
        """Moves those that failed lately behind the others, and those that are not asked now behind these."""
        now = self._monotonic()
        ordered = tuple(sorted(providers, key=lambda name: self._rank(name, now)))
        if ordered[:1] != tuple(providers[:1]) and self._rank(providers[0], now) == NOT_ASKED:
            self._metrics.count_skipped(providers[0])
        return ordered

    @contextmanager
    def call(self, provider: str) -> Iterator[None]:
        """The body asks it once. The circuit learns from what it raises, or that it raises nothing."""
        before = self._find(provider)
        tries = not before.is_closed and before.may_ask(self._monotonic())
        if tries:
            self._put(provider, before.begin_try())
        try:
            yield
        except LlmCallError as problem:
            self._put(provider, _after_failure(self._find(provider), problem, self._monotonic(), tries=tries))
            raise
        except BaseException:
            if tries:
                self._put(provider, self._find(provider).abandon_try())
            raise
        self._put(provider, CLOSED)

    def list_failing(self) -> tuple[FailingProvider, ...]:
        now = self._monotonic()
        found = ((name, self._find(name)) for name in sorted(self._circuits) if name in self._llms)
        return tuple(
            FailingProvider(
                provider=name,
                kind=circuit.kind or "",
                failures=circuit.failures,
                since=self._now() - timedelta(seconds=now - circuit.since),
            )
            for name, circuit in found
            if circuit.is_failing(now)
        )

    def explain_degraded(self) -> list[str]:
        return [
            f"The LLM provider {one.provider} fails ({one.kind}): others are asked in its stead"
            for one in self.list_failing()
        ]

    def _rank(self, provider: str, now: float) -> int:
        if provider not in self._llms:
            return 0
        circuit = self._find(provider)
        if not circuit.may_ask(now):
            return NOT_ASKED
        return FAILED_LATELY if circuit.has_failed_lately(now) else 0

    def _find(self, provider: str) -> Circuit:
        llm, circuit = self._circuits.get(provider, (None, CLOSED))
        return circuit if llm is self._llms.get(provider) else CLOSED

    def _put(self, provider: str, circuit: Circuit) -> None:
        if provider not in self._llms:
            return
        if provider not in self._circuits:
            self._metrics.watch_provider(provider, lambda: self._find(provider).is_failing(self._monotonic()))
        self._circuits[provider] = (self._llms[provider], circuit)


def _after_failure(circuit: Circuit, problem: LlmCallError, now: float, *, tries: bool) -> Circuit:
    """`tries`: the call tried an open one. A failure of a call that had begun before changes nothing.

    A rate limit changes nothing for a provider that is asked; one that was tried is left alone once more. Any other
    refusal is an answer.
    """
    if problem.kind in UNAVAILABLE:
        late = not circuit.is_closed and not tries
        return circuit if late else circuit.note_failure(problem.kind, now, problem.retry_after_seconds)
    if problem.kind == "rate_limited":
        return circuit.pause(now, problem.retry_after_seconds) if tries else circuit
    return CLOSED
