"""Interface of the code that does a worker's work: it runs a claimed request and returns the report of its outcome."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from opentelemetry.trace import SpanKind

from tarsy_bus.tracing import Attributes
from tarsy_worker.claim_types import Claimable, ReportOutcome
from tarsy_worker.reports import OutcomeReport

type MayStart = Callable[[], bool]
"""Asked last of all before a call has effects: it may have waited for long, and its grant may have been withdrawn."""


def always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class RunSpan:
    """The span of a run in the trace of its session. `kind`: CLIENT where somebody outside is asked.

    `cause`: the `traceparent` of what wants the run; None: the session itself does.
    """

    name: str
    attributes: Attributes
    kind: SpanKind = SpanKind.CLIENT
    cause: str | None = None


class Runner[R: Claimable](Protocol):
    def describe_span(self, request: R) -> RunSpan: ...

    async def run(self, request: R, claim_id: str, may_start: MayStart) -> OutcomeReport:
        """One run. Every way in which it can fail is an outcome; what it raises ends the worker."""
        ...

    def report_cancelled(self, cancelled: ReportOutcome[R]) -> OutcomeReport:
        """The report of a run that was cancelled, and therefore returns none."""
        ...
