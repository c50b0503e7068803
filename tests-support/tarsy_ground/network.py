"""A network namespace of our own: devices, rules and published ports of an engine lie in it, and end with it."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
SECONDS = 30
NSENTER = shutil.which("nsenter") or "nsenter"
"""With its folder: a child process is not looked up on PATH."""


@dataclass(frozen=True, slots=True)
class NetworkNamespace:
    name: str

    def command(self, *command: str) -> list[str]:
        """`ip netns exec` would mount /sys anew, and so hide the control groups."""
        return [NSENTER, f"--net=/run/netns/{self.name}", *command]

    def isolated_command(self, *command: str) -> list[str]:
        """With mounts and process ids of its own: when its first process is killed, the kernel ends the others."""
        return self.command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *command)


@contextmanager
def network_namespace(name: str, *, subnet: int) -> Iterator[NetworkNamespace]:
    """It reaches what the machine reaches, by 172.31.SUBNET.0/30. Leftovers of a killed run are removed first."""
    forwarding = FORWARDING.read_text("ascii")
    _remove(name, subnet)
    try:
        _add(name, f"172.31.{subnet}")
        for rule in _rules(name, subnet):
            _run("iptables", *_with("-I", rule))
        FORWARDING.write_text("1\n", "ascii")
        yield NetworkNamespace(name)
    finally:
        FORWARDING.write_text(forwarding, "ascii")
        _remove(name, subnet)


def _add(name: str, addresses: str) -> None:
    device, inside = _device(name), ("ip", "-n", name)
    _run("ip", "netns", "add", name)
    _run("ip", "link", "add", device, "type", "veth", "peer", "name", "uplink", "netns", name)
    _run("ip", "address", "add", f"{addresses}.1/30", "dev", device)
    _run("ip", "link", "set", device, "up")
    _run(*inside, "address", "add", f"{addresses}.2/30", "dev", "uplink")
    for link in ("lo", "uplink"):
        _run(*inside, "link", "set", link, "up")
    _run(*inside, "route", "add", "default", "via", f"{addresses}.1")


def _device(name: str) -> str:
    return f"{name}0"


def _rules(name: str, subnet: int) -> list[tuple[str, ...]]:
    """Table, chain, and the rule."""
    device = _device(name)
    return [
        ("nat", "POSTROUTING", "-s", f"172.31.{subnet}.0/30", "-j", "MASQUERADE"),
        ("filter", "FORWARD", "-i", device, "-j", "ACCEPT"),
        ("filter", "FORWARD", "-o", device, "-j", "ACCEPT"),
    ]


def _with(verb: str, rule: tuple[str, ...]) -> list[str]:
    return ["-w", "-t", rule[0], verb, *rule[1:]]


def _remove(name: str, subnet: int) -> None:
    for rule in _rules(name, subnet):
        if _try("iptables", *_with("-C", rule)):
            _run("iptables", *_with("-D", rule))
    if Path("/sys/class/net", _device(name)).exists():
        _run("ip", "link", "delete", _device(name))
    if Path("/run/netns", name).exists():
        _run("ip", "netns", "delete", name)


def _try(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode == 0


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
