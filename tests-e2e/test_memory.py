"""The second time is better than the first: an incident is investigated twice, and once more after it was forgotten."""

import json
from collections.abc import Mapping
from pathlib import Path

import httpx2
import pytest
import yaml
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_testing.system.chains import ask_for, rows
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog

CHAIN = "kubernetes"
LESSON = "The checkout pods are killed by their own memory limit: the last rollout shows it at once."
LEARNT = {"learned": [{"text": LESSON, "category": "procedural", "applies_to": ["alert_type"], "calls": [1, 2]}]}


def turn(iteration: int, text: str, *tools: str, needs: tuple[str, ...] = ()) -> Mapping[str, JsonValue]:
    calls: list[JsonValue] = [{"name": f"kubernetes__{tool}", "arguments": {"namespace": "shop"}} for tool in tools]
    return {"agent": "KubernetesAgent", "iteration": iteration, "text": text, "tool_calls": calls, "needs": [*needs]}


SCRIPT: list[Mapping[str, JsonValue]] = [
    turn(1, "I look at the rollout first [memory 1].", "pods_list", needs=("[memory 1]", LESSON)),
    turn(2, "Its own limit kills it [memory 1].", needs=("[memory 1]", LESSON)),
    turn(1, "I look around.", "pods_list", "events_list"),
    turn(2, "I look further.", "nodes_list", "events_list"),
    turn(3, "Its own limit kills it."),
    {"agent": "ReflectorAgent", "needs": ["[memory 1]"], "text": json.dumps({"reinforced": [{"memory": 1}]})},
    {"agent": "ReflectorAgent", "text": json.dumps(LEARNT)},
    {"agent": "ExecSummaryAgent", "text": "Killed by its own limit."},
]


@pytest.fixture
def config_dir(config_dir: Path) -> Path:
    """With memory, and this script alone."""
    file = config_dir / "tarsy.yaml"
    config = yaml.safe_load(file.read_text("utf-8"))
    config["defaults"] |= {"memory": {"enabled": True, "recall_timeout": "20s"}, "llm_provider": ["scripted"]}
    config["llm_providers"]["scripted"]["script"] = ["memory.yaml"]
    file.write_text(yaml.safe_dump(config), "utf-8")
    (config_dir / "memory.yaml").write_text(yaml.safe_dump({"turns": SCRIPT}), "utf-8")
    return config_dir


def calls_of(log: SessionLog) -> list[str]:
    return [event.tool for event in log.events(e.ToolCallRequested) if event.execution_id]


async def investigated(system: System) -> tuple[str, SessionLog]:
    one = ask_for(system, CHAIN)
    return one.session_id, await one.until("phase.completed")


async def taught(system: System, session_id: str) -> list[dict[str, JsonValue]]:
    async def look() -> list[dict[str, JsonValue]] | None:
        return rows(system.get(f"/api/v1/sessions/{session_id}/memories")) or None

    return await eventually(look, "the memory is projected")


def send(system: System, method: str, memory_id: JsonValue, body: JsonValue = None) -> int:
    url = f"{system.of('timeline').url}/api/v1/memories/{memory_id}"
    return httpx2.request(method, url, json=body, timeout=90.0).status_code


async def test_the_second_investigation_takes_fewer_calls_until_what_it_knew_is_forgotten(system: System) -> None:
    await system.start_all()
    first, told = await investigated(system)
    assert len(calls_of(told)) == 4
    (memory,) = await taught(system, first)
    assert (memory["content"], memory["alert_type"]) == (LESSON, CHAIN)

    second, again = await investigated(system)
    assert calls_of(again) == ["pods_list"]
    reached = f"at_least={len(again.accepted)}"
    (given,) = rows(system.get(f"/api/v1/sessions/{second}/injected-memories?{reached}"))
    assert (given["id"], given["number"], given["cited"]) == (memory["id"], 1, True)

    async def reinforced() -> bool:
        found = system.get(f"/api/v1/memories/{memory['id']}")
        assert isinstance(found, dict)
        return found["seen_count"] == 2

    await eventually(reinforced, "the second session agrees")
    similar = system.get(f"/api/v1/sessions/{second}/similar?{reached}")
    assert isinstance(similar, dict)
    assert [one["session_id"] for one in rows(similar["sessions"])] == [first]

    assert send(system, "PATCH", memory["id"], {"locked": True}) == 200
    assert send(system, "PATCH", memory["id"], {}) == 400
    assert send(system, "DELETE", memory["id"]) == 200

    async def gone() -> bool:
        return rows(system.get(f"/api/v1/sessions/{first}/memories")) == []

    await eventually(gone, "the memory is forgotten")
    assert send(system, "DELETE", memory["id"]) == 404
    _, third = await investigated(system)
    assert len(calls_of(third)) == 4


async def test_without_a_timeline_an_investigation_goes_on_and_says_so(system: System) -> None:
    await system.start_all()
    system.of("timeline").stop()
    one = ask_for(system, CHAIN)
    told = await one.until("session.completed")
    started = told.events(e.ExecutionStarted)[0]
    assert "They could not be had" in started.prompt
    assert len(calls_of(told)) == 4
