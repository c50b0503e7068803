"""Readiness of a process group: what `/ready` of its processes says now, as one answer."""

import asyncio
import time
from collections.abc import Callable, Sequence

from tarsy_local.instance_counts import SERVICES
from tarsy_local.ready_answer import ReadyAnswer, Reasons, name_instances
from tarsy_local.supervisor.supervised_process import SupervisedProcess

KEPT_SECONDS = 1.0


class GroupReadiness:
    """Asks all processes at once, and keeps what they say for KEPT_SECONDS: probes of the whole do not multiply."""

    def __init__(
        self, members: Sequence[SupervisedProcess], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._members = members
        self._monotonic = monotonic
        self._asking = asyncio.Lock()
        self._answer = ReadyAnswer(ready=False)
        self._kept_until: float | None = None

    async def ask(self) -> ReadyAnswer:
        async with self._asking:
            if self._kept_until is None or self._monotonic() >= self._kept_until:
                answers = await asyncio.gather(*(member.ask_ready() for member in self._members))
                self._answer = combine_answers(list(zip(self._members, answers, strict=True)))
                self._kept_until = self._monotonic() + KEPT_SECONDS
            return self._answer


def combine_answers(answers: Sequence[tuple[SupervisedProcess, ReadyAnswer]]) -> ReadyAnswer:
    """Ready while each service has an instance that is. Others that are not make the whole degraded."""
    unready: Reasons = {}
    degraded: Reasons = {}
    for service in SERVICES:
        own = [(member.number, answer) for member, answer in answers if member.service == service]
        reasons = name_instances((number, answer.unready_reasons()) for number, answer in own)
        if not any(answer.ready for _, answer in own):
            unready[service] = reasons
        elif named := [*reasons, *name_instances((number, answer.degraded) for number, answer in own)]:
            degraded[service] = named
    return ReadyAnswer(ready=not unready, waiting_for=list(unready), reasons=unready, degraded=degraded)
