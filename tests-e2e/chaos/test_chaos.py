"""Every service in turn is killed with -9, in an investigation and in a reply: `make chaos`."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import yaml

from tarsy_bus.client.connection import Bus
from tarsy_contracts.wire.topics import Topics
from tarsy_local.instance_counts import SERVICES
from tarsy_testing.real_servers import delete_topics
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Tarsy, environment, tarsy

pytestmark = pytest.mark.timeout(1500)

SEED = 4
ROUND_SECONDS = 200.0


@pytest.fixture
def three_gateways(
    tmp_path: Path, kafka_bootstrap: str, database_url: str, incidents: Path, forks: ServiceForks
) -> Iterator[Tarsy]:
    prefix = f"t{uuid4().hex[:10]}"
    own = {"TARSY_TOPIC_PREFIX": prefix, "TARSY_DATABASE_SCHEMA": prefix, "TARSY_DEAD_AFTER_SECONDS": "4"}
    # The broker of the tests allows it, as our own does: a dead owner is replaced sooner.
    timeouts = {"TARSY_GROUP_SESSION_TIMEOUT_MS": "3000", "TARSY_GROUP_HEARTBEAT_MS": "500"}
    with tarsy(
        tmp_path, pace_seconds=0.02, environment=environment(**own, **timeouts), incidents=incidents, forks=forks
    ) as one:
        note_calls_in(one, tmp_path / "lab-calls.jsonl")
        servers = ("--kafka", kafka_bootstrap, "--database", database_url)
        one.up("--processes", "--instances", "tool-gateway=3", *servers)
        yield one
    asyncio.run(delete_topics(Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")))
    shutil.rmtree(tmp_path, ignore_errors=True)


def note_calls_in(one: Tarsy, file: Path) -> None:
    place = one.config_dir / "tarsy.yaml"
    config = yaml.safe_load(place.read_text("utf-8"))
    config["mcp_servers"]["kubernetes"]["transport"]["args"][1:] = ["--calls", str(file)]
    place.write_text(yaml.safe_dump(config), "utf-8")


def test_whichever_service_is_killed_nothing_is_lost_and_nothing_destructive_happens_twice(
    three_gateways: Tarsy, tmp_path: Path
) -> None:
    chaos = three_gateways.start_alone(
        "--home", str(three_gateways.home), "--seed", str(SEED), "--calls", str(tmp_path / "lab-calls.jsonl"),
        module="tarsy_chaos",
    )  # fmt: skip
    code = chaos.wait(ROUND_SECONDS * len(SERVICES))
    rounds = [line for line in chaos.output.splitlines() if line.startswith(SERVICES)]
    assert code == 0, chaos.output
    assert [line.split()[0] for line in rounds] == list(SERVICES)
    assert [line.count("killed after event") for line in rounds] == [2] * len(SERVICES), chaos.output
    restarts = {one.service: 0 for one in three_gateways.processes()}
    for one in three_gateways.processes():
        restarts[one.service] += one.restarts
    assert restarts == dict.fromkeys(SERVICES, 2)
