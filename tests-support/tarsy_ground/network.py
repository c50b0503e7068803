"""A network namespace of our own: devices, rules and published ports of an engine lie in it, and end with it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_ground.kernel_settings import FORWARDING, unchanged_kernel_settings
from tarsy_ground.shared_machine import own_number
from tarsy_testing.real_servers import folder_in_memory

SECONDS = 30
FIRST_SUBNET = 224
UPLINK = "uplink"
"""The device that leads out of the namespace."""
_NETWORK = Path("/proc/thread-self/ns/net")
NSENTER = shutil.which("nsenter") or "nsenter"
"""With its folder: a child process is not looked up on PATH."""


@dataclass(frozen=True, slots=True)
class NetworkNamespace:
    """`subnet` has the first three numbers of its addresses. `folder` is for files of what runs in it."""

    name: str
    subnet: str
    folder: Path

    def command(self, *command: str) -> list[str]:
        """`ip netns exec` would mount /sys anew, and so hide the control groups."""
        return [NSENTER, f"--net=/run/netns/{self.name}", *command]

    def isolated_command(self, *command: str) -> list[str]:
        """With mounts and process ids of its own: when its first process is killed, the kernel ends the others."""
        return self.command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *command)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The calling thread's sockets, and its children, are in it meanwhile."""
        with _NETWORK.open("rb") as outside, Path("/run/netns", self.name).open("rb") as inside:
            os.setns(inside.fileno(), os.CLONE_NEWNET)
            try:
                yield
            finally:
                os.setns(outside.fileno(), os.CLONE_NEWNET)


@contextmanager
def network_namespace() -> Iterator[NetworkNamespace]:
    """It reaches what the machine reaches, by a subnet of its own. Leftovers of a killed run are removed first."""
    with own_number() as number, unchanged_kernel_settings():
        name, parent = f"tarsy-ground-{number}", folder_in_memory() or Path(tempfile.gettempdir())
        namespace = NetworkNamespace(name, f"172.31.{FIRST_SUBNET + number}", parent / name)
        _remove(namespace)
        try:
            _add(namespace)
            for rule in _rules(namespace):
                _run("iptables", *_with("-I", rule))
            FORWARDING.write_text("1\n", "ascii")
            yield namespace
        finally:
            _remove(namespace)


def _add(namespace: NetworkNamespace) -> None:
    """The machine's device has the namespace's name."""
    name, inside = namespace.name, ("ip", "-n", namespace.name)
    _run("ip", "netns", "add", name)
    _run("ip", "link", "add", name, "type", "veth", "peer", "name", UPLINK, "netns", name)
    _run("ip", "address", "add", f"{namespace.subnet}.1/30", "dev", name)
    _run("ip", "link", "set", name, "up")
    _run(*inside, "address", "add", f"{namespace.subnet}.2/30", "dev", UPLINK)
    for link in ("lo", UPLINK):
        _run(*inside, "link", "set", link, "up")
    _run(*inside, "route", "add", "default", "via", f"{namespace.subnet}.1")


def _rules(namespace: NetworkNamespace) -> list[tuple[str, ...]]:
    """Table, chain, and the rule. Each names the namespace, so that people see whose it is."""
    name = namespace.name
    comment = ("-m", "comment", "--comment", name)
    return [
        ("nat", "POSTROUTING", "-s", f"{namespace.subnet}.0/30", *comment, "-j", "MASQUERADE"),
        ("filter", "FORWARD", "-i", name, *comment, "-j", "ACCEPT"),
        ("filter", "FORWARD", "-o", name, *comment, "-j", "ACCEPT"),
    ]


def _with(verb: str, rule: tuple[str, ...]) -> list[str]:
    return ["-w", "-t", rule[0], verb, *rule[1:]]


def _remove(namespace: NetworkNamespace) -> None:
    name = namespace.name
    for rule in _rules(namespace):
        if _try("iptables", *_with("-C", rule)):
            _run("iptables", *_with("-D", rule))
    if Path("/sys/class/net", name).exists():
        _run("ip", "link", "delete", name)
    if Path("/run/netns", name).exists():
        _run("ip", "netns", "delete", name)
    if namespace.folder.exists():
        shutil.rmtree(namespace.folder)


def _try(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode == 0


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
