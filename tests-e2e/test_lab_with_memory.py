"""The scripted pair of the lab: `tarsy demo` sends an incident twice, and the second time takes fewer calls."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import ROOT, Tarsy, tarsy, wait_for

INCIDENT = "examples/incidents/quota-blocked-rollout"
CALL = re.compile(r"→ (kubernetes\.\w+)")


@pytest.fixture
def one(tmp_path: Path, forks: ServiceForks) -> Iterator[Tarsy]:
    with tarsy(tmp_path / "one", forks=forks) as running:
        running.config_dir = ROOT / "examples/memory"
        running.up()
        yield running
    shutil.rmtree(tmp_path / "one", ignore_errors=True)


def demonstrated(one: Tarsy) -> str:
    code, output = one.run("demo", "--incident", INCIDENT)
    assert code == 0, output
    assert "names the root cause: 4 of 4 marks" in output, output
    return output


def calls_of(output: str) -> list[str]:
    """Of the investigation, without those of the question after it."""
    investigation, _, _ = output.partition("names the root cause:")
    return CALL.findall(investigation)


def test_an_incident_that_is_demonstrated_again_takes_fewer_calls_and_cites_its_memory(one: Tarsy) -> None:
    first = demonstrated(one)
    assert len(calls_of(first)) == 9, first
    assert "[memory 1]" not in first

    def learnt() -> bool | None:
        address = f"http://127.0.0.1:{one.http_port}/api/v1/memories?search=quota"
        return httpx2.get(address, timeout=30.0).json()["total"] == 1 or None

    wait_for(learnt, "the first investigation has taught")
    again = demonstrated(one)
    assert len(calls_of(again)) == 3, again
    assert "as it was before [memory 1]" in again
