"""Starts of services as forks: what is imported for all of them must stay fit to be forked."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tarsy_local.instance_counts import SERVICES
from tarsy_local.supervisor.service_start import LOG_NAME, ServiceChild, module_of, service_start
from tarsy_testing.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux only")


def test_every_service_is_a_fork_of_one_process_and_refuses_wrong_settings_in_its_own_log(tmp_path: Path) -> None:
    """Wrong settings end a service before it connects to anything."""
    environment = {**os.environ, "TARSY_HTTP_PORT": "no port"}
    children: list[ServiceChild] = []
    with service_start(tmp_path, os.environ) as start:
        try:
            for service in SERVICES:
                log = tmp_path / f"{service}.log"
                children.append(start(module_of(service), log=log, log_bytes=10_000, environment=environment))
            for child in children:
                wait_until(lambda child=child: child.poll_exit() is not None)  # type: ignore[misc]
            assert [child.poll_exit() for child in children] == [2] * len(SERVICES)
            assert all("TARSY_HTTP_PORT" in child.output() for child in children)
            assert (tmp_path / LOG_NAME).read_text("utf-8") == ""
        finally:
            for child in children:
                child.stop(signal.SIGKILL)


def test_the_server_of_forks_has_no_settings_of_ours(tmp_path: Path) -> None:
    around = {**os.environ, "TARSY_DATABASE": "postgresql://tarsy:of-nobody-else@db/tarsy"}
    with service_start(tmp_path, around) as start:
        child = start("tarsy_processes.launcher", log=tmp_path / "one.log", log_bytes=10_000, environment=around)
        wait_until(lambda: child.poll_exit() is not None)
        servers = [one for one in children_of(os.getpid()) if b"tarsy_processes.fork_server" in read(one, "cmdline")]
        assert [b"TARSY_DATABASE" in read(server, "environ") for server in servers] == [False]
        child.stop(signal.SIGKILL)


def children_of(pid: int) -> list[int]:
    return [int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()]


def read(pid: int, name: str) -> bytes:
    return Path(f"/proc/{pid}/{name}").read_bytes()
