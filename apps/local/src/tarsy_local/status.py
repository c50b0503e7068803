"""Status of an instance: where everything is, and what `/ready` of its processes says now."""

import asyncio
from collections.abc import Mapping, Sequence

import httpx2

from tarsy_local.instance import Instance, Process
from tarsy_local.ready_answer import Readiness, ReadyAnswer, Reasons, name_instances
from tarsy_local.ready_probe import ask_ready

ASK_SECONDS = 5.0
HEADLINES: Mapping[Readiness, str] = {
    "ready": "TARSy is ready",
    "degraded": "TARSy is degraded",
    "not_ready": "TARSy is not ready",
}

type Answered = tuple[Process, ReadyAnswer]


class Status(Instance):
    """`state` is that of the supervisor. `reasons`: why it is not ready. `degraded`: what stands still all the same."""

    readiness: Readiness
    reasons: Reasons
    degraded: Reasons

    def lines(self) -> list[str]:
        """For a person; without addresses while it starts or stops."""
        why = [f"  {name}: {one}" for name, ones in self.reasons.items() for one in ones]
        label = "degraded: " if self.reasons else ""
        why += [f"  {name}: {label}{one}" for name, ones in self.degraded.items() for one in ones]
        if self.state != "ready":
            return [f"TARSy is {self.state} (process {self.pid}).", *why]
        return [HEADLINES[self.readiness], *why, *self.details()]


async def ask_status(instance: Instance) -> Status:
    """Asks all processes at once, each for ASK_SECONDS at most."""
    services = [one for one in instance.processes if one.http]
    door = "front-door" if services else "tarsy"
    # Everything is on this machine: no proxy of the environment leads there, and certificates need not be read.
    async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
        whole, *answers = await asyncio.gather(
            _ask_door(client, door, instance),
            *(ask_ready(client, one.service, one.http, ASK_SECONDS) for one in services),
        )
    answered = list(zip(services, answers, strict=True))
    now = _combine_answers(whole, answered)
    if instance.state != "ready":
        now.ready = False
    return Status.model_validate(
        dict(instance)
        | {"processes": _with_readiness(instance.processes, answered)}
        | {"readiness": now.readiness, "reasons": now.reasons, "degraded": now.degraded}
    )


async def _ask_door(client: httpx2.AsyncClient, name: str, instance: Instance) -> ReadyAnswer:
    if not instance.address:
        return ReadyAnswer(ready=False)
    return await ask_ready(client, name, instance.address, ASK_SECONDS)


def _combine_answers(whole: ReadyAnswer, answers: Sequence[Answered]) -> ReadyAnswer:
    """The whole is ready if all are. A service that is not ready is not called degraded as well."""
    reasons = whole.unready_reasons() | _reasons_by_service(
        [(one, answer.unready_reasons()) for one, answer in answers]
    )
    degraded = whole.degraded | _reasons_by_service([(one, answer.degraded) for one, answer in answers])
    return ReadyAnswer(
        ready=whole.ready and all(answer.ready for _, answer in answers),
        reasons=reasons,
        degraded={service: sentences for service, sentences in degraded.items() if service not in reasons},
    )


def _reasons_by_service(reasons_of: Sequence[tuple[Process, Reasons]]) -> Reasons:
    by_service = {
        service: name_instances((one.instance, reasons) for one, reasons in reasons_of if one.service == service)
        for service in sorted({one.service for one, _ in reasons_of})
    }
    return {service: sentences for service, sentences in by_service.items() if sentences}


def _with_readiness(processes: Sequence[Process], answers: Sequence[Answered]) -> list[Process]:
    known = {(one.service, one.instance): answer.readiness for one, answer in answers}
    return [one.model_copy(update={"readiness": known.get((one.service, one.instance))}) for one in processes]
