"""Answer of `/ready`: of one service, of all in one process, or of the front door."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel

type Readiness = Literal["ready", "degraded", "not_ready"]
type Reasons = dict[str, list[str]]
"""Sentences for the operator, by service."""

UNEXPLAINED = "it does not do its work yet"


class ReadyAnswer(BaseModel):
    """`starting`: the services that do not do their work yet. `degraded`: what stands still while the rest works."""

    ready: bool
    waiting_for: list[str] = []
    starting: list[str] = []
    reasons: Reasons = {}
    degraded: Reasons = {}

    @property
    def readiness(self) -> Readiness:
        if not self.ready:
            return "not_ready"
        return "degraded" if self.degraded else "ready"

    def unready_reasons(self) -> Reasons:
        """Empty for one that is ready; else each service that is waited for has a reason."""
        if self.ready:
            return {}
        return {**{name: [UNEXPLAINED] for name in self.waiting_for}, **self.reasons}


def unready_answer(service: str, *reasons: str) -> ReadyAnswer:
    return ReadyAnswer(ready=False, waiting_for=[service], reasons={service: list(reasons)})


def name_instances(reasons_by_instance: Iterable[tuple[int, Reasons]]) -> list[str]:
    """Sentences of the instances of one service; where there are several, each names its own."""
    by_number = {number: [one for ones in reasons.values() for one in ones] for number, reasons in reasons_by_instance}
    return [
        f"instance {number}: {one}" if len(by_number) > 1 else one for number, ones in by_number.items() for one in ones
    ]
