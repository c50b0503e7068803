"""`/ready` of the front door: what the processes behind it say now, not what they said once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from tarsy_local.front_door.door import Doorway, FrontDoor
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.instance_counts import SERVICES
from tarsy_local.supervisor import group_readiness, supervised_process
from tarsy_local.supervisor.process_group import ProcessGroup
from tarsy_local.supervisor.supervised_process import SupervisedProcess

SILENCE = "Kafka has not answered for 23 seconds"


class Processes:
    """One process of each service and a second ingest, all ready once. `answers` is what some say now, by name."""

    def __init__(self, folder: Path) -> None:
        self.answers: dict[str, JsonValue] = {}
        self.asked: Counter[str] = Counter()
        self._client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))
        self.members = [self._member(folder, name, 1) for name in SERVICES] + [self._member(folder, "ingest", 2)]
        self._names = {member.port: member.name for member in self.members}

    def _member(self, folder: Path, service: str, number: int) -> SupervisedProcess:
        member = SupervisedProcess(
            service, number, log_file=folder / "log", environment={}, client=self._client, changed=lambda: None
        )
        member.state = "ready"
        return member

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        name = self._names[request.url.port or 0]
        self.asked[name] += 1
        answer = self.answers.get(name, {"ready": True})
        if answer is None:
            await asyncio.Event().wait()
        ready = isinstance(answer, dict) and bool(answer["ready"])
        return httpx2.Response(200 if ready else 503, json=answer)

    @asynccontextmanager
    async def door(self) -> AsyncIterator[httpx2.AsyncClient]:
        door = FrontDoor(
            Doorway([], HttpProxy(_Nobody(), lambda *_: None)), ProcessGroup(self.members), CollectorRegistry()
        )
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://localhost") as client:
            yield client


class _Nobody:
    stopping = False

    def ready(self, service: str) -> list[int]:
        return []


@pytest.fixture
def processes(tmp_path: Path) -> Processes:
    return Processes(tmp_path)


async def ask(processes: Processes) -> tuple[int, dict[str, JsonValue]]:
    async with processes.door() as client:
        answer = await client.get("/ready")
    told: dict[str, JsonValue] = answer.json()
    return answer.status_code, told


async def test_it_is_ready_while_all_say_so(processes: Processes) -> None:
    assert await ask(processes) == (200, {"ready": True, "waiting_for": [], "reasons": {}, "degraded": {}})
    assert processes.asked == Counter(member.name for member in processes.members)


async def test_one_that_was_ready_and_is_no_longer_makes_it_unready_with_its_reason(processes: Processes) -> None:
    processes.answers["timeline-1"] = {"ready": False, "waiting_for": ["timeline"], "reasons": {"timeline": [SILENCE]}}
    status, told = await ask(processes)
    assert (status, told["ready"], told["waiting_for"]) == (503, False, ["timeline"])
    assert told["reasons"] == {"timeline": [SILENCE]}


async def test_one_of_two_leaves_it_degraded_and_both_make_it_unready(processes: Processes) -> None:
    silent: JsonValue = {"ready": False, "waiting_for": ["ingest"], "reasons": {"ingest": [SILENCE]}}
    processes.answers["ingest-2"] = silent
    status, told = await ask(processes)
    assert (status, told["reasons"], told["degraded"]) == (200, {}, {"ingest": [f"instance 2: {SILENCE}"]})
    processes.answers["ingest-1"] = silent
    status, told = await ask(processes)
    assert (status, told["waiting_for"], told["degraded"]) == (503, ["ingest"], {})
    assert told["reasons"] == {"ingest": [f"instance {number}: {SILENCE}" for number in (1, 2)]}


async def test_what_stands_still_in_one_is_told_and_costs_no_traffic(processes: Processes) -> None:
    processes.answers["orchestrator-1"] = {"ready": True, "degraded": {"orchestrator": ["no session goes on"]}}
    status, told = await ask(processes)
    assert (status, told["degraded"]) == (200, {"orchestrator": ["no session goes on"]})


async def test_one_that_hangs_is_not_waited_for(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervised_process, "ASK_SECONDS", 0.05)
    processes.answers["notifier-1"] = None
    status, told = await ask(processes)
    assert (status, told["reasons"]) == (503, {"notifier": ["/ready does not answer within 0.05 seconds"]})


async def test_one_that_is_started_again_is_not_asked(processes: Processes) -> None:
    processes.members[0].state = "waiting"
    status, told = await ask(processes)
    assert (status, told["reasons"]) == (503, {"timeline": ["its process is waiting"]})
    assert processes.asked["timeline-1"] == 0


async def test_many_probes_at_once_ask_each_process_once(processes: Processes) -> None:
    async with processes.door() as client:
        answers = await asyncio.gather(*(client.get("/ready") for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert set(processes.asked.values()) == {1}


async def test_an_answer_is_kept_for_a_moment_only(processes: Processes) -> None:
    now = 100.0
    readiness = group_readiness.GroupReadiness(processes.members, monotonic=lambda: now)
    assert (await readiness.ask()).ready
    processes.answers["timeline-1"] = {"ready": False, "reasons": {"timeline": [SILENCE]}}
    now += group_readiness.KEPT_SECONDS / 2
    assert (await readiness.ask()).ready
    now += group_readiness.KEPT_SECONDS
    assert not (await readiness.ask()).ready
