"""What `tarsy up` costs that nobody uses: `python benchmarks/idle.py [--processes] [--seconds 60] [--starts 3]`.

Seconds from the command to "TARSy is ready", of a first start and of warm ones. Then, of the last one, left alone: the
CPU of each process in percent of a core, and its memory. Memory is PSS: a page that several share counts once.
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import GONE, all_used, children_of, used_alone
from saying import load_told, say

from tarsy_processes.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
SETTLE_SECONDS = 10.0
GIVE_UP_SECONDS = 300.0
READY = "All [0-9]+ processes are ready|TARSy is ready"
LOG_WRITER, FORK_SERVER = "log_writer.py", "tarsy_processes.fork_server"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--starts", type=int, default=3)
    given = parser.parse_args()
    with load_told(), tempfile.TemporaryDirectory(prefix="tarsy-idle-", ignore_cleanup_errors=True) as name:
        more = ["--processes"] if given.processes else []
        for number in range(given.starts):
            last = number == given.starts - 1
            with up(Path(name), more, "warm" if number else "first") as pid:
                if last:
                    time.sleep(SETTLE_SECONDS)
                    tell_of_idling(pid, given.seconds)


@contextmanager
def up(home: Path, more: list[str], kind: str) -> Iterator[int]:
    """Runs in the body: the process that was started."""
    ports = [f"--{port}-port={free_port()}" for port in ("http", "kafka", "database")]
    output = home / "up.log"
    with output.open("wb") as written:
        began = time.monotonic()
        one = subprocess.Popen(
            [sys.executable, "-m", "tarsy_cli", "up", f"--home={home / 'home'}", *ports, *more],
            cwd=ROOT, stdout=written, stderr=written,
        )  # fmt: skip
        try:
            while not re.search(READY, output.read_text("utf-8")):
                if one.poll() is not None or time.monotonic() - began > GIVE_UP_SECONDS:
                    sys.exit(f"not ready: {output.read_text('utf-8')}")
                time.sleep(0.01)
            took = time.monotonic() - began
            cpu = sum(one.cpu_seconds for one in all_used({"up": one.pid}).values())
            say(f"{kind} start: ready after {took:.1f} s, {cpu:.1f} s of CPU in all processes")
            yield one.pid
        finally:
            one.send_signal(signal.SIGTERM)
            one.wait(120)


def tell_of_idling(pid: int, seconds: float) -> None:
    processes = named(pid)
    before = all_used(processes, used_alone)
    began = time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    after = all_used(processes, used_alone)
    percent = {name: 100 * (one.cpu_seconds - before[name].cpu_seconds) / took for name, one in after.items()}
    for name in sorted(percent):
        say(f"  {name:24} {percent[name]:5.2f} % of a core  {after[name].memory_mb:6.1f} MB")
    servers = [name for name in percent if name.startswith(("Kafka", "PostgreSQL"))]
    ours = [name for name in percent if name not in servers]
    for kind, names in (("TARSy", ours), ("Kafka and PostgreSQL", servers)):
        cpu, memory = sum(percent[one] for one in names), sum(after[one].memory_mb for one in names)
        say(f"{kind}: {cpu:.1f} % of a core, {memory:.0f} MB")


def named(pid: int) -> dict[str, int]:
    """All processes below this one, and itself, by what they run."""
    found: dict[str, int] = {}
    for one in family(pid):
        try:
            name = name_of(one)
        except GONE:
            continue
        while name in found:
            name += "'"
        found[name] = one
    return found


def family(pid: int) -> Iterator[int]:
    yield pid
    for child in children_of(pid):
        yield from family(child)


def name_of(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").decode().split("\0")
    program = Path(command[0]).name
    if program == "java":
        return "Kafka"
    if program.startswith("postgres"):
        return "PostgreSQL"
    if any(LOG_WRITER in word for word in command):
        return "log writer"
    if FORK_SERVER in command:
        # A fork has the arguments of its server, and a name of its own.
        return Path(f"/proc/{pid}/comm").read_text("utf-8").strip()
    return command[command.index("-m") + 1] if "-m" in command else " ".join(command)[:24]


if __name__ == "__main__":
    main()
