"""`tarsy up --processes`: every service in processes of its own, which anybody may kill."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
import yaml
from pydantic import JsonValue

from tarsy_bus.client.connection import Bus
from tarsy_contracts.wire.topics import Topics
from tarsy_local.instance import Process
from tarsy_local.instance_counts import SERVICES
from tarsy_testing.real_servers import delete_topics, eventually
from tarsy_testing.servers.monitoring import family, increasing, named_metrics
from tarsy_testing.servers.prometheus import ROOT, prometheus
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Running, Tarsy, environment, is_alive, tarsy, wait_for

STOP_SECONDS = 180.0


@dataclass
class Scene:
    """All services, two of them twice, on the Kafka and PostgreSQL of the test session."""

    tarsy: Tarsy
    up: Running

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.tarsy.http_port}"

    def of(self, service: str, instance: int = 1) -> Process:
        (found,) = [one for one in self.tarsy.processes() if (one.service, one.instance) == (service, instance)]
        return found

    def all_ready(self) -> bool:
        return all(one.state == "ready" for one in self.tarsy.processes())


def elsewhere() -> str:
    """An address of this machine that is none of its loopback. Nothing is sent."""
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        address: str = probe.getsockname()[0]
        return address


def answers(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=10).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.fixture(scope="module")
def scene(
    tmp_path_factory: pytest.TempPathFactory,
    kafka_bootstrap: str,
    database_url: str,
    incidents: Path,
    forks: ServiceForks,
) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("processes")
    prefix = f"t{uuid4().hex[:10]}"
    settings = environment(TARSY_TOPIC_PREFIX=prefix, TARSY_DATABASE_SCHEMA=prefix, TARSY_OPEN_ACCESS="yes")
    with tarsy(folder, pace_seconds=0.01, environment=settings, incidents=incidents, forks=forks) as one:
        more = ("--instances", "tool-gateway=2", "--instances", "timeline=2", "--http-host", "0.0.0.0")
        up = one.up("--processes", *more, "--kafka", kafka_bootstrap, "--database", database_url)
        scene = Scene(one, up)
        wait_for(scene.all_ready, "all work")
        yield scene
    asyncio.run(delete_topics(Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")))
    shutil.rmtree(folder, ignore_errors=True)


def test_status_lists_every_process_and_each_answers(scene: Scene) -> None:
    _, output = scene.tarsy.run("status", "--json")
    rows = json.loads(output)["processes"]
    wanted = sorted([*SERVICES, "tool-gateway", "timeline", "ingest"])
    assert sorted(row["service"] for row in rows) == wanted
    assert len({row["pid"] for row in rows}) == len(rows)
    for row in rows:
        assert is_alive(row["pid"])
        assert (row["state"], row["restarts"]) == ("ready", 0)
        assert Path(row["log"]).stat().st_size > 0
        for path in ("/health", "/ready", "/metrics"):
            assert httpx2.get(row["http"] + path, timeout=90).status_code == 200, (row["service"], path)
    code, text = scene.tarsy.run("status")
    assert code == 0
    for row in rows:
        line = rf"{row['service']} +{row['instance']} +{row['pid']} +ready +0 +{re.escape(row['http'])}"
        assert re.search(line, text), text
    # On a slow machine an MCP server comes later than the start waits for it.
    all_at_once = re.search(rf"All {len(rows)} processes are ready after \d+\.\d seconds", scene.up.output)
    assert all_at_once or "Warning: MCP server" in scene.up.output


def test_one_address_stands_for_all(scene: Scene) -> None:
    ready = httpx2.get(f"{scene.base}/ready", timeout=90)
    everything = {"ready": True, "waiting_for": [], "reasons": {}, "degraded": {}}
    assert (ready.status_code, ready.json()) == (200, everything)
    assert httpx2.get(f"{scene.base}/health", timeout=90).status_code == 200
    assert "sessions" in httpx2.get(f"{scene.base}/api/v1/sessions", timeout=90).json()
    refused = httpx2.post(f"{scene.base}/api/v1/alerts", content=b"not json", timeout=90)
    assert (refused.status_code, refused.headers["content-type"]) == (415, "application/problem+json")
    assert httpx2.get(f"{scene.base}/internal/v1/chains", timeout=90).status_code == 404
    metrics = httpx2.get(f"{scene.base}/metrics", timeout=90).text
    assert 'tarsy_front_door_processes_ready{service="tool-gateway"} 2.0' in metrics
    assert 'tarsy_front_door_requests_total{service="timeline",status="200"}' in metrics
    assert "tarsy_front_door_connections_passed_total 1.0" in metrics, "the ingest answered its sender itself"


def test_others_reach_the_front_door_and_no_process_behind_it(scene: Scene) -> None:
    ports = [int(process.http.rpartition(":")[2]) for process in scene.tarsy.processes()]
    assert (answers(address := elsewhere(), scene.tarsy.http_port), len(ports)) == (True, 10)
    assert [port for port in ports if answers(address, port)] == []
    told = " ".join(scene.up.output.split())
    assert f"Warning: whoever reaches http://{socket.gethostname()}:{scene.tarsy.http_port}/ may read" in told
    assert f"API {scene.base}/api/v1" in told


def test_prometheus_discovers_every_process(scene: Scene, tmp_path: Path) -> None:
    listed = httpx2.get(f"{scene.base}/metrics/targets", timeout=90)
    assert (listed.status_code, listed.headers["content-type"]) == (200, "application/json")
    targets = listed.json()
    assert targets == [
        {"targets": [process.http.removeprefix("http://")], "labels": {"service": process.service}}
        for process in scene.tarsy.processes()
    ]
    for target in targets:
        assert "# HELP tarsy_process_ready" in httpx2.get(f"http://{target['targets'][0]}/metrics", timeout=90).text
    example = (ROOT / "deploy/prometheus/prometheus-processes.yaml").read_text("utf-8")
    config = yaml.safe_load(example.replace("127.0.0.1:8080", f"127.0.0.1:{scene.tarsy.http_port}"))
    found = asyncio.run(healthy_targets(config | {"rule_files": []}, len(targets) + 1, tmp_path))
    assert sorted(found) == sorted(
        [
            (f"127.0.0.1:{scene.tarsy.http_port}", ""),
            *((one["targets"][0], one["labels"]["service"]) for one in targets),
        ]
    )


def test_rules_and_dashboards_name_only_metrics_that_these_processes_have(scene: Scene) -> None:
    addresses = [scene.base, *(process.http for process in scene.tarsy.processes())]
    lines = [line for one in addresses for line in httpx2.get(f"{one}/metrics", timeout=90).text.splitlines()]
    assert named_metrics() - {family(line.split()[2]) for line in lines if line.startswith("# HELP ")} == set()


async def healthy_targets(config: dict[str, JsonValue], number: int, folder: Path) -> list[tuple[str, str]]:
    """Address and service of each, once Prometheus has scraped so many, with all series that rules need."""
    async with prometheus(config, folder) as client:

        async def scraped() -> list[tuple[str, str]] | None:
            active = (await client.get("/api/v1/targets")).json()["data"]["activeTargets"]
            labels = [target["labels"] for target in active if target["health"] == "up"]
            return [(one["instance"], one.get("service", "")) for one in labels] if len(labels) == number else None

        absent: list[str] = []

        async def all_are_there() -> bool:
            asked = {one: await client.get("/api/v1/query", params={"query": one}) for one in sorted(increasing())}
            absent[:] = [one for one, answer in asked.items() if not answer.json()["data"]["result"]]
            return not absent

        found = await eventually(scraped, f"Prometheus has scraped {number} targets")
        # A target is up a moment before what was scraped can be asked for.
        await eventually(
            all_are_there, lambda: f"rules wait for an increase, and from nothing to one is none: {absent}"
        )
        return found


def test_services_that_are_killed_come_back_and_the_demo_goes_on(scene: Scene) -> None:
    """Those two through which the demo sees anything at all; `make chaos` kills each."""
    victims = ("timeline", "websocket-gateway")
    before = {victim: scene.of(victim).pid for victim in victims}
    demo = scene.tarsy.start("demo")
    wait_for(lambda: "← kubernetes.pods_list" in demo.output, "the first result", seconds=180)
    for pid in before.values():
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    for victim in victims:
        wait_for(lambda: scene.of(victim).pid not in (before[victim], None), "another process")  # noqa: B023
        assert scene.of(victim).restarts == 1
    assert demo.wait(300) == 0, demo.output
    assert "session: completed" in demo.output
    assert demo.output.count("→ kubernetes.pods_delete") == 1
    wait_for(scene.all_ready, "all work again", seconds=180)


def test_told_to_stop_all_end_in_order_and_in_time(scene: Scene) -> None:
    """The last one of the scene."""
    pids = [one.pid for one in scene.tarsy.processes()]
    scene.up.process.send_signal(signal.SIGTERM)
    assert scene.up.wait(STOP_SECONDS) == 0, scene.up.output
    assert scene.up.output.splitlines()[-2:] == ["The services have stopped", "TARSy has stopped; its data stays"]
    assert not [pid for pid in pids if pid is not None and is_alive(pid)]
    assert "stop.too_slow" not in (scene.tarsy.home / "tarsy.log").read_text("utf-8")


def test_with_servers_of_its_own_a_killed_supervisor_leaves_nothing_behind(tmp_path: Path, forks: ServiceForks) -> None:
    with tarsy(tmp_path / "one", forks=forks) as one:
        up = one.up("--processes")
        pids = {f"{one.service} {one.instance}": one.pid for one in one.processes()}
        assert {name.split()[0] for name in pids} == {*SERVICES, "kafka", "postgresql"}
        up.kill()

        def left() -> list[str]:
            return [name for name, pid in pids.items() if pid is not None and is_alive(pid)]

        wait_for(lambda: not left(), "the end of all processes")
        assert one.run("status")[0] == 3


def test_what_a_service_refuses_at_its_first_start_ends_the_start_with_its_words(
    tmp_path: Path, kafka_bootstrap: str, database_url: str, forks: ServiceForks
) -> None:
    prefix = f"t{uuid4().hex[:10]}"
    settings = environment(TARSY_TOPIC_PREFIX=prefix, TARSY_DATABASE_SCHEMA=prefix, TARSY_CLIENT_QUEUE="0")
    with tarsy(tmp_path / "one", environment=settings, forks=forks) as one:
        up = one.start_up("--processes", "--kafka", kafka_bootstrap, "--database", database_url)
        assert up.wait() == 1
    asyncio.run(delete_topics(Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")))
    said = up.output.splitlines()[-1]
    assert said == "TARSY_CLIENT_QUEUE: Input should be greater than or equal to 1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--processes", "--instances", "gateway=2"), "websocket-gateway"),
        (("--processes", "--instances", "ingest=0"), "a number from 1 to 20"),
        (("--instances", "ingest=2"), "--instances is for --processes"),
    ],
)
def test_instances_that_make_no_sense_are_refused_before_anything_starts(
    tmp_path: Path, arguments: tuple[str, ...], said: str, forks: ServiceForks
) -> None:
    with tarsy(tmp_path / "one", forks=forks) as one:
        up = one.start_up(*arguments)
        assert up.wait() == 2
        assert said in up.output
        assert "Starting" not in up.output
