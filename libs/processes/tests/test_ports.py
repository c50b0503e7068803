"""Ports of servers that are started soon after."""

import socket
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tarsy_processes.errors import AddressUnusableError, PortTakenError
from tarsy_processes.ports import free_port, require_free

EACH = 400


def test_processes_that_pick_at_once_are_given_different_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service of one test run was given the port of another's, and whoever asked it was answered by the other."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        picked = [port for ports in pool.map(_pick, range(3)) for port in ports]
    assert len(set(picked)) == len(picked) == 3 * EACH


def _pick(_number: int) -> list[int]:
    return [free_port() for _ in range(EACH)]


def test_an_address_is_free_until_somebody_listens_there_or_everywhere() -> None:
    port = free_port()
    require_free(port, "the door", "0.0.0.0")
    with socket.create_server(("127.0.0.1", port)):
        for host in ("127.0.0.1", "0.0.0.0"):
            with pytest.raises(PortTakenError, match=f"Port {port}, on which the door should listen, is taken"):
                require_free(port, "the door", host)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.name.invalid", "2001:db8::1"])
def test_an_address_of_another_machine_is_told_from_a_port_that_is_taken(host: str) -> None:
    with pytest.raises(AddressUnusableError, match=f"the door cannot listen on port 8080 of {host}"):
        require_free(8080, "the door", host)
