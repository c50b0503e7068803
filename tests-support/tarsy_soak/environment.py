"""Environment of one soak: Kafka, PostgreSQL, endless models, and `tarsy up --processes`, in a folder of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_cli.errors import CommandError
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.jvm_cds import prepare_class_archive
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.password_file import password_file
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_embedded.server import EmbeddedServer
from tarsy_local.instance import Home, Instance
from tarsy_local.own_kafka import own_kafka_environment
from tarsy_processes.ports import free_port
from tarsy_soak.configuration import SoakConfiguration

START_SECONDS = 180.0
STOP_SECONDS = 90.0
LOOK_SECONDS = 0.2
INSTANCES = ("orchestrator=2", "tool-gateway=3")
DEAD_AFTER_SECONDS = "8"
PATIENT = {
    "TARSY_MCP_CONNECT_SECONDS": "120",
    "TARSY_MCP_READY_SECONDS": "60",
    "TARSY_TOOLS_WAIT_SECONDS": "120",
    "TARSY_TOOLS_STARTING_SECONDS": "120",
}
"""The scripted model fails without its tools, and a busy machine takes long to start gateways that were killed."""


class SoakError(CommandError):
    """The soak could not be run to its end. The operator acts on the message."""


@dataclass(frozen=True, slots=True)
class SoakEnvironment:
    """`calls` is where the lab's MCP server notes what it ran."""

    home: Home
    kafka: EmbeddedKafka
    kafka_password: Path
    postgresql: EmbeddedPostgres
    up: "subprocess.Popen[bytes]"
    output: Path
    calls: Path
    configuration: SoakConfiguration

    def server(self, name: str) -> EmbeddedServer:
        return self.kafka if name == "kafka" else self.postgresql

    def instance(self) -> Instance:
        """Raises SoakError when `tarsy up` has ended."""
        instance = self.home.find_running()
        if instance is None or self.up.poll() is not None:
            tail = self.output.read_text(encoding="utf-8", errors="replace")[-2_000:]
            raise SoakError(f"`tarsy up` has ended. What it said last:\n{tail}")
        return instance


@contextmanager
def soak_environment(folder: Path, config: Path, *, compression: str) -> Iterator[SoakEnvironment]:
    """They run in the body. Must be entered on the main thread: the servers end with the thread that started them.

    `compression` is the broker's own `compression.type`, as a careful operator may have set it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cache = default_cache_dir()
    prepare_class_archive(cache, lambda _: None)
    settings = {"compression.type": compression}
    kafka = EmbeddedKafka(
        folder / "kafka", port=free_port(), cache_dir=cache, progress=lambda _: None, password=True, settings=settings
    )
    postgresql = EmbeddedPostgres(folder / "postgres", port=free_port(), progress=lambda _: None)
    with postgresql, kafka, endless_models() as models:
        calls = folder / "lab-calls.jsonl"
        calls.touch()
        home, output = Home(folder / "home"), folder / "up.txt"
        password = password_file(kafka.data_dir)
        environment = _environment(os.environ) | own_kafka_environment(password)
        configuration = SoakConfiguration(config, folder / "config", calls, models)
        configuration.write()
        up = _start_up(home, configuration.folder, output, kafka, postgresql, environment)
        running = SoakEnvironment(home, kafka, password, postgresql, up, output, calls, configuration)
        try:
            _wait_until_ready(running)
            yield running
        finally:
            _stop(up)


@contextmanager
def endless_models() -> Iterator[str]:
    """The address of the endless models; they run in the body."""
    port = free_port()
    models = subprocess.Popen([sys.executable, "-m", "tarsy_soak.endless_model", str(port)])
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        models.kill()
        models.wait()


def _start_up(
    home: Home,
    config: Path,
    output: Path,
    kafka: EmbeddedKafka,
    postgresql: EmbeddedPostgres,
    environment: Mapping[str, str],
) -> "subprocess.Popen[bytes]":
    servers = ["--kafka", kafka.bootstrap, "--database", postgresql.url]
    instances = [part for instance in INSTANCES for part in ("--instances", instance)]
    command = ["up", "--home", str(home.folder), "--config", str(config), "--http-port", str(free_port()), *servers]
    with output.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "tarsy_cli", *command, "--processes", *instances],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )


def _environment(around: Mapping[str, str]) -> dict[str, str]:
    """Leaves out settings made for another TARSy."""
    kept = {name: value for name, value in around.items() if not name.startswith("TARSY_") or name == "TARSY_CACHE_DIR"}
    return kept | {
        "TARSY_GROUP_SESSION_TIMEOUT_MS": "3000",
        "TARSY_GROUP_HEARTBEAT_MS": "500",
        "TARSY_CONFIG_POLL_SECONDS": "1",
        "TARSY_DEAD_AFTER_SECONDS": DEAD_AFTER_SECONDS,
        **PATIENT,
    }


def _wait_until_ready(running: SoakEnvironment) -> None:
    limit = time.monotonic() + START_SECONDS
    while True:
        if running.up.poll() is not None:
            running.instance()
        instance = running.home.find_running()
        if instance is not None and instance.state == "ready":
            return
        if time.monotonic() > limit:
            raise SoakError(f"TARSy was not ready within {START_SECONDS:g} seconds.")
        time.sleep(LOOK_SECONDS)


def _stop(up: "subprocess.Popen[bytes]") -> None:
    if up.poll() is None:
        up.send_signal(signal.SIGTERM)
    try:
        up.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        up.kill()
        up.wait()
