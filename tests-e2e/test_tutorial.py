"""The tutorial, step by step as its page has it, with a real Alertmanager and a real MCP server for Kubernetes. A small
Kubernetes API and a model that follows a script stand for the reader's own.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from tutorial_steps import CommandStep, FileStep, steps

from tarsy_processes.ports import free_port
from tarsy_testing.programs import required_program
from tarsy_testing.real_servers import cache_dir
from tarsy_testing.servers.alertmanager import PROGRAM
from tarsy_testing.servers.mcp_install import node_programs
from tarsy_testing.servers.mcp_kubernetes import kubernetes
from tarsy_testing.servers.provider import Provider, provider
from tarsy_testing.system.system import ROOT
from tarsy_testing.system.up import START_SECONDS, wait_for

STEP_SECONDS = 400.0
STOP_SECONDS = 60.0
READY = {"tarsy": "TARSy is ready", "alertmanager": "Listening on"}
"""Output of a program that is ready."""
SESSION = re.compile(r"\b[0-9a-f]{8}\b")
FOUND = "The pod checkout-7d9f of shop has restarted 17 times: its container fails, and waits longer each time."
SCRIPT = {
    "turns": [
        {
            "agent": "KubernetesAgent", "iteration": 1, "needs": ["KubePodCrashLooping", "checkout-7d9f"],
            "text": "I look at the pod and at the events.",
            "tool_calls": [
                {"name": "kubernetes__pods_get", "arguments": {"namespace": "shop", "name": "checkout-7d9f"}},
                {"name": "kubernetes__events_list", "arguments": {"namespace": "shop"}},
            ],
        },
        {
            "agent": "KubernetesAgent", "iteration": 2, "text": FOUND,
            "needs": ["restartCount: 17", "Back-off restarting failed container"],
        },
        {"agent": "ChatAgent", "needs": ["Is it over?", "restartCount: 17"], "text": "No, it still restarts."},
        {"agent": "Summarizer", "text": "It restarts."},
    ]
}  # fmt: skip


@dataclass
class Reader:
    """Does what the page says, in a folder of his own. `ports`: those of the page, and what stands for them here."""

    folder: Path
    environment: dict[str, str]
    ports: dict[str, str]
    exports: list[str] = field(default_factory=list)
    session: str = "SESSION"

    def write(self, step: FileStep) -> None:
        file = self.folder / step.path
        file.parent.mkdir(exist_ok=True)
        file.write_text(self._here(step.text), "utf-8")

    def run(self, step: CommandStep) -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", self._script(step)], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=STEP_SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{step.text}\n{done.stdout}"
        self.exports += [line for line in step.text.splitlines() if line.startswith("export ")]
        return done.stdout

    def until_shown(self, step: CommandStep) -> None:
        """Takes the session from it."""
        found = wait_for(lambda: SESSION.search(self.run(step)), "a session is listed", seconds=STEP_SECONDS)
        self.session = found[0]

    @contextmanager
    def terminal(self, step: CommandStep, number: int) -> Iterator[Path]:
        """The file with the command's output."""
        output = self.folder / f"terminal-{number}.txt"
        with output.open("w", encoding="utf-8") as printed:
            process = subprocess.Popen(
                ["bash", "-c", f"{self._script(step, before='exec ')}"], cwd=self.folder, env=self.environment,
                stdout=printed, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            yield output
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)

    def _script(self, step: CommandStep, before: str = "") -> str:
        return "\n".join([*self.exports, before + self._here(step.text)])

    def _here(self, text: str) -> str:
        for written, here in self.ports.items():
            text = text.replace(written, here)
        return text.replace("SESSION", self.session)


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Provider]:
    script = tmp_path / "script.yaml"
    script.write_text(yaml.safe_dump(SCRIPT), "utf-8")
    with provider(scripts=[script]) as served:
        yield served


@pytest.fixture
def reader(tmp_path: Path, model: Provider) -> Iterator[Reader]:
    programs = tmp_path / "bin"
    programs.mkdir()
    # What `npx -y PACKAGE@latest` would fetch is here already, in the version that is pinned.
    own_program(programs / "npx", f'shift 2; exec "{node_programs()}/kubernetes-mcp-server" "$@"')
    own_program(programs / "alertmanager", f'exec "{required_program(PROGRAM)}" "$@"')
    path = [str(programs), str(ROOT / ".venv" / "bin"), str(node_programs()), os.environ["PATH"]]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TARSY_", "KUBECONFIG"))}
    environment = kept | {
        "HOME": str(tmp_path), "PATH": ":".join(path), "OPENAI_BASE_URL": f"{model.url}/v1",
        "TARSY_CACHE_DIR": str(cache_dir()), "TARSY_HTTP_PORT": str(http := free_port()),
        "TARSY_KAFKA_PORT": str(free_port()), "TARSY_DATABASE_PORT": str(free_port()),
    }  # fmt: skip
    with kubernetes(tmp_path) as kubeconfig:
        (tmp_path / ".kube").mkdir()
        (tmp_path / ".kube" / "config").symlink_to(kubeconfig)
        yield Reader(tmp_path, environment, {"8080": str(http), "9093": str(free_port())})


def own_program(file: Path, script: str) -> None:
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)


def until_printed(output: Path, text: str) -> None:
    wait_for(lambda: text in output.read_text("utf-8"), f"{output} has {text!r}", seconds=START_SECONDS)


def test_the_tutorial_does_what_it_says(reader: Reader, model: Provider) -> None:
    printed: list[str] = []
    with ExitStack() as terminals:
        for number, step in enumerate(steps()):
            match step:
                case FileStep():
                    reader.write(step)
                case CommandStep(kind="terminal"):
                    output = terminals.enter_context(reader.terminal(step, number))
                    until_printed(output, READY[step.text.split()[0]])
                case CommandStep(kind="until"):
                    reader.until_shown(step)
                case CommandStep(kind="install"):
                    pass
                case CommandStep():
                    printed.append(reader.run(step))
    whole = " ".join("\n".join(printed).split())
    assert FOUND in whole
    assert "No, it still restarts." in whole
    assert "kubernetes" in whole
    assert model.keys == {"YOUR_KEY"}
