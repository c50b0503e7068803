"""Ports of servers that are started soon after."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tarsy_processes.ports import free_port

EACH = 400


def test_processes_that_pick_at_once_are_given_different_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service of one test run was given the port of another's, and whoever asked it was answered by the other."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        picked = [port for ports in pool.map(_pick, range(3)) for port in ports]
    assert len(set(picked)) == len(picked) == 3 * EACH


def _pick(_number: int) -> list[int]:
    return [free_port() for _ in range(EACH)]
