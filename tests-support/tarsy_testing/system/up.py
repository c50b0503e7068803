"""The `tarsy` command in processes of its own, as a person runs it at the root of the checkout."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from pydantic import JsonValue

from tarsy_local.instance import Home, Process
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_testing.story.incident import INCIDENTS
from tarsy_testing.system.service_forks import OwnProcess, ServiceForks, execute
from tarsy_testing.system.system import PATIENT

ROOT = Path(__file__).resolve().parent.parent.parent.parent
START_SECONDS = 240.0
COMMAND_SECONDS = 400.0
CALL_SECONDS = 600
FAST = 0.005


def wait_for[T](look: Callable[[], T | None], what: str, *, seconds: float = WAIT_SECONDS) -> T:
    """`eventually`, in a test that is not asynchronous."""

    async def looking() -> T | None:
        return look()

    return asyncio.run(eventually(looking, what, seconds=seconds))


def environment(**more: str) -> dict[str, str]:
    """Ours, without settings of TARSy that someone made for something else."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TARSY_")}
    cache = {name: os.environ[name] for name in ("TARSY_CACHE_DIR",) if name in os.environ}
    return kept | cache | PATIENT | more


def write_config(folder: Path, *, pace_seconds: float = FAST, incidents: Path = INCIDENTS) -> Path:
    """The configuration of the checkout, at another pace."""
    folder.mkdir(parents=True)
    config = yaml.safe_load((ROOT / "config" / "tarsy.yaml").read_text("utf-8"))
    provider = config["llm_providers"]["scripted"]
    scripts = [str((ROOT / "config" / script).resolve()) for script in provider["script"]]
    provider |= {"script": scripts, "pace_seconds": pace_seconds}
    config["skill_folders"] = [str(ROOT / "config" / name) for name in config["skill_folders"]]
    config["mcp_servers"]["kubernetes"]["transport"]["args"][0] = str(incidents)
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return folder


@dataclass
class Running:
    """A command that was started: what it has printed so far, and how it ends."""

    process: OwnProcess
    file: Path

    @property
    def output(self) -> str:
        return self.file.read_text("utf-8", errors="replace")

    def wait(self, seconds: float = COMMAND_SECONDS) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it still runs after {seconds:g} seconds:\n{self.output}") from None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@dataclass
class Tarsy:
    """One home, and ports of its own.

    Commands run in `root`. With `forks` they are not started by `python -m`, but forked: the same processes, without
    seconds of imports.
    """

    folder: Path
    config_dir: Path
    environment: dict[str, str] = field(default_factory=environment)
    http_port: int = field(default_factory=free_port)
    kafka_port: int = field(default_factory=free_port)
    database_port: int = field(default_factory=free_port)
    started: list[Running] = field(default_factory=list)
    root: Path = ROOT
    forks: ServiceForks | None = field(default=None, repr=False)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def start(self, *arguments: str) -> Running:
        """Starts a command about this home, and does not wait for it."""
        return self.start_alone(*arguments, "--home", str(self.home))

    def start_alone(self, *arguments: str, module: str = "tarsy_cli") -> Running:
        """Starts a command that knows no home."""
        file = self.folder / f"output-{len(self.started)}.txt"
        if self.forks is None:
            process = execute(("-m", module, *arguments), log=file, folder=self.root, environment=self.environment)
        else:
            process = self.forks.start(module, *arguments, log=file, folder=self.root, environment=self.environment)
        running = Running(process, file)
        self.started.append(running)
        return running

    def run(self, *arguments: str) -> tuple[int, str]:
        """Runs a command to its end: its exit code and what it printed."""
        running = self.start(*arguments)
        return running.wait(), running.output

    def start_up(self, *arguments: str) -> Running:
        ports = ("--http-port", self.http_port, "--kafka-port", self.kafka_port, "--database-port", self.database_port)
        return self.start("up", "--config", str(self.config_dir), *map(str, ports), *arguments)

    def up(self, *arguments: str) -> Running:
        """Starts it, and waits until it is ready."""
        running = self.start_up(*arguments)
        wait_for(lambda: self.is_ready(running), "tarsy up is ready", seconds=START_SECONDS)
        return running

    def is_ready(self, up: Running) -> bool:
        assert up.process.poll() is None, f"tarsy up has ended:\n{up.output}"
        return "TARSy is ready" in up.output

    def status(self) -> dict[str, JsonValue]:
        _, output = self.run("status", "--json")
        found: dict[str, JsonValue] = json.loads(output)
        return found

    def processes(self) -> list[Process]:
        """Processes that `tarsy status` would list, without the second that the command takes."""
        instance = Home(self.home).find_running()
        return [] if instance is None else instance.processes

    def server_pids(self) -> dict[str, int]:
        """The processes of Kafka and PostgreSQL."""
        found = {one.service: one.pid for one in self.processes() if one.service in ("kafka", "postgresql")}
        return {name: pid for name, pid in found.items() if pid is not None}

    def hold_tools_by(self, file: Path) -> None:
        """The lab's tools wait while the file exists (those that it names, where it does); a call has time for it."""
        written = self.config_dir / "tarsy.yaml"
        config = yaml.safe_load(written.read_text("utf-8"))
        config["mcp_servers"]["kubernetes"]["transport"]["env"] = {"TARSY_LAB_HOLD": str(file)}
        config["limits"] = {**config.get("limits", {}), "tool_call": CALL_SECONDS}
        written.write_text(yaml.safe_dump(config), "utf-8")

    def end(self) -> None:
        for running in self.started:
            if running.process.poll() is None:
                running.process.send_signal(signal.SIGTERM)
        for running in self.started:
            try:
                running.process.wait(60)
            except subprocess.TimeoutExpired:
                running.kill()


@contextmanager
def tarsy(
    folder: Path,
    *,
    pace_seconds: float = FAST,
    incidents: Path = INCIDENTS,
    environment: dict[str, str] | None = None,
    forks: ServiceForks | None = None,
) -> Iterator[Tarsy]:
    folder.mkdir(parents=True, exist_ok=True)
    one = Tarsy(folder, write_config(folder / "config", pace_seconds=pace_seconds, incidents=incidents), forks=forks)
    if environment is not None:
        one.environment = environment
    try:
        yield one
    finally:
        one.end()


def is_alive(pid: int) -> bool:
    """A process that has ended and waits for its parent to notice does not count."""
    try:
        return Path("/proc", str(pid), "stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
