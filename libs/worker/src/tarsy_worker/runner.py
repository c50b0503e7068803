"""Interface of the code that does a worker's work: it runs a claimed request and returns the report of its outcome."""

from collections.abc import Callable
from typing import Protocol

from tarsy_bus.tracing import Attributes
from tarsy_worker.claim_types import Claimable, ReportOutcome
from tarsy_worker.reports import OutcomeReport

type MayStart = Callable[[], bool]
"""Asked last of all before a call has effects: it may have waited for long, and its grant may have been withdrawn."""


def always() -> bool:
    return True


class Runner[R: Claimable](Protocol):
    @property
    def span_name(self) -> str:
        """The name of a run's span in the trace of its session."""
        ...

    def span_attributes(self, request: R) -> Attributes: ...

    async def run(self, request: R, claim_id: str, may_start: MayStart) -> OutcomeReport:
        """One run. Every way in which it can fail is an outcome; what it raises ends the worker."""
        ...

    def report_cancelled(self, cancelled: ReportOutcome[R]) -> OutcomeReport:
        """The report of a run that was cancelled, and therefore returns none."""
        ...
