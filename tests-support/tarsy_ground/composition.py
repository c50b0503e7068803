"""docker-compose.yml as a user has it, on an engine of our own."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarsy_ground.control_groups import processes_in
from tarsy_ground.engine import Engine

ROOT = Path(__file__).resolve().parent.parent.parent
ENDS = "topics"
UP_SECONDS = 900.0
SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Container:
    id: str
    service: str
    state: str
    health: str
    exit_code: int


class ComposeError(Exception):
    """A command of compose has ended with something else than 0."""


@dataclass(frozen=True, slots=True)
class Composition:
    program: Path
    engine: Engine

    def run(self, *arguments: str, seconds: float = SECONDS) -> str:
        """Its output. Raises ComposeError."""
        done = subprocess.run(
            [str(self.program), "--progress=plain", *arguments],
            cwd=ROOT,
            env=self.engine.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0:
            raise ComposeError(f"docker compose {' '.join(arguments)}: {(done.stdout + done.stderr)[-4_000:]}")
        return done.stdout

    def up(self) -> None:
        """As docs/how-to/run-with-compose.md says."""
        self.run("up", "--build", "--wait", seconds=UP_SECONDS)

    def down(self) -> None:
        self.run("--profile", "*", "down", "--volumes")

    def services(self) -> list[str]:
        """Those that go on running."""
        names = self.run("config", "--services").split()
        return sorted(name for name in names if name != ENDS)

    def unready(self) -> set[str]:
        """Services that do not run, or whose health check says no."""
        ready = {one.service for one in self.containers() if one.state == "running" and one.health in ("", "healthy")}
        return set(self.services()) - ready

    def containers(self) -> list[Container]:
        """Those that have ended, too."""
        lines = self.run("ps", "--all", "--no-trunc", "--format", "json").splitlines()
        return [_container(json.loads(line)) for line in lines]

    def started_again(self) -> set[str]:
        """Services that the engine itself has started again, since they were last started by hand."""
        listed = {one.id: one.service for one in self.containers()}
        form = "{{.Id}} {{.RestartCount}}"
        counts = self.engine.run("inspect", "--format", form, *listed, seconds=SECONDS).stdout.split()
        return {listed[name] for name, count in zip(counts[::2], counts[1::2], strict=True) if count != "0"}

    def processes(self, service: str) -> list[int]:
        """As the machine numbers them."""
        (container,) = (one.id for one in self.containers() if one.service == service)
        return processes_in(f"{self.engine.network.name}/{container}")

    def kill(self, service: str) -> None:
        """As the kernel does when memory runs out: after `docker kill` the engine would not start it again."""
        for process in self.processes(service):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def _container(listed: Mapping[str, Any]) -> Container:
    return Container(listed["ID"], listed["Service"], listed["State"], listed["Health"], listed["ExitCode"])
