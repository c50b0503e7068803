"""How the MCP servers of other people are started: as programs over stdio, or at an address of this machine.

Each lives in what it needs: a folder, a repository, a database, a small Kubernetes, a real Prometheus.
"""

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Literal

import httpx2

from tarsy_processes.ports import free_port
from tarsy_testing.programs import required_program
from tarsy_testing.servers.mcp_install import node_programs, python_programs
from tarsy_testing.servers.mcp_kubernetes import kubernetes
from tarsy_testing.servers.mcp_prometheus import prometheus

type Wire = Literal["stdio", "http", "sse"]

PATHS: dict[Wire, str] = {"stdio": "", "http": "/mcp", "sse": "/sse"}
START_SECONDS = 180.0
POLL_SECONDS = 0.05
NOTES = "checkout crashed at 08:17\n"
COMMIT = "Raise the pool of checkout to 50 connections"


class Surroundings:
    """Made when somebody needs them, and gone with the stack."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack

    @cached_property
    def folder(self) -> Path:
        folder = self._folder / "files"
        folder.mkdir()
        (folder / "notes.txt").write_text(NOTES, encoding="utf-8")
        return folder

    @cached_property
    def repository(self) -> Path:
        program = required_program("git")
        repository = self._folder / "repository"
        repository.mkdir()
        who = {
            f"GIT_{role}_{what}": "sre@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        for command in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", COMMIT]):
            subprocess.run([program, *command], cwd=repository, env=environment, check=True, timeout=30)
        return repository

    @cached_property
    def database(self) -> Path:
        file = self._folder / "orders.db"
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("CREATE TABLE orders (id INTEGER, state TEXT)")
            database.execute("INSERT INTO orders VALUES (7, 'stuck')")
        return file

    @cached_property
    def kubeconfig(self) -> Path:
        return self._stack.enter_context(kubernetes(self._folder))

    @cached_property
    def prometheus(self) -> str:
        return self._stack.enter_context(prometheus(self._folder))


@dataclass(frozen=True, slots=True)
class Start:
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def everything(_: Surroundings, wire: Wire, port: int) -> Start:
    kind = "streamableHttp" if wire == "http" else wire
    return _of_node("mcp-server-everything", kind, environment={"PORT": str(port)})


def filesystem(around: Surroundings, _wire: Wire, _port: int) -> Start:
    return _of_node("mcp-server-filesystem", str(around.folder))


def kubernetes_server(around: Surroundings, wire: Wire, port: int) -> Start:
    address = () if wire == "stdio" else ("--port", str(port), "--bind-address", "127.0.0.1")
    return _of_node("kubernetes-mcp-server", "--kubeconfig", str(around.kubeconfig), "--list-output", "yaml", *address)


def grafana(_: Surroundings, wire: Wire, port: int) -> Start:
    """Its Grafana is nowhere."""
    kind = "streamable-http" if wire == "http" else wire
    program = str(python_programs("today") / "mcp-grafana")
    nowhere = {"GRAFANA_URL": "http://127.0.0.1:9", "GRAFANA_SERVICE_ACCOUNT_TOKEN": "of-nobody"}
    return Start((program, "-t", kind, "-address", f"127.0.0.1:{port}"), nowhere)


def prometheus_server(around: Surroundings, wire: Wire, port: int) -> Start:
    environment = {
        "PROMETHEUS_URL": around.prometheus,
        "PROMETHEUS_MCP_SERVER_TRANSPORT": wire,
        "PROMETHEUS_MCP_BIND_PORT": str(port),
        "FASTMCP_CHECK_FOR_UPDATES": "off",
    }
    return Start((str(python_programs("today") / "prometheus-mcp-server"),), environment)


def git(around: Surroundings, _wire: Wire, _port: int) -> Start:
    return Start((str(python_programs("today") / "mcp-server-git"), "--repository", str(around.repository)))


def sqlite(around: Surroundings, _wire: Wire, _port: int) -> Start:
    return Start((str(python_programs("before") / "mcp-server-sqlite"), "--db-path", str(around.database)))


def _of_node(program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Start:
    """With the Node.js that was installed beside it."""
    programs = node_programs()
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return Start((str(programs / program), *arguments), {"PATH": path, **(environment or {})})


class RunningServer:
    """One server over one wire. It can be killed, and is there again: by itself over stdio, by `start` over HTTP."""

    def __init__(
        self, start: Callable[[Surroundings, Wire, int], Start], around: Surroundings, wire: Wire, folder: Path
    ) -> None:
        self.wire = wire
        self._port = free_port()
        self._start = start(around, wire, self._port)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def transport(self) -> dict[str, object]:
        """As it stands in tarsy.yaml. The shell writes down under which id the server then runs."""
        if self.wire != "stdio":
            return {"type": self.wire, "url": f"http://127.0.0.1:{self._port}{PATHS[self.wire]}"}
        script = 'echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@"'
        arguments = ["-c", script, str(self._pid_file), *self._start.command]
        return {"type": "stdio", "command": "/bin/sh", "args": arguments, "env": dict(self._start.environment)}

    @property
    def pid(self) -> int:
        if self._process is not None:
            return self._process.pid
        return int(self._pid_file.read_text(encoding="utf-8"))

    def start(self) -> None:
        """Nothing is to be done over stdio: there the gateway starts it."""
        if self.wire == "stdio":
            return
        log_file = self._folder / f"{self._port}.log"
        with log_file.open("ab") as log:
            self._process = subprocess.Popen(
                self._start.command,
                env={**os.environ, **self._start.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        limit = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, log_file.read_text(encoding="utf-8")[-2000:]
            assert time.monotonic() < limit, f"it did not listen in {START_SECONDS:g} seconds"
            time.sleep(POLL_SECONDS)

    def kill(self) -> None:
        """With all that it has started: some are started by a program that only stands before them."""
        os.killpg(self.pid, signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    @property
    def _pid_file(self) -> Path:
        return self._folder / f"{self._port}.pid"

    def _answers(self) -> bool:
        """Anything at all: what is asked here, none of them knows."""
        try:
            return (
                httpx2.get(f"http://127.0.0.1:{self._port}/nothing", trust_env=False).status_code
                < HTTPStatus.BAD_GATEWAY
            )
        except httpx2.TransportError:
            return False
