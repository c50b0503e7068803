"""Starts of `tarsy up` on data that is there: `python benchmarks/warm_start.py [FOLDER ...] [--starts 3] [--one]`.

Each FOLDER is a checkout that was set up (without any: this one); they take turns, each on a home of its own. Seconds
from the command to "ready", and the CPU seconds of each process until then, with its children that have ended.
`--lines`: when each line of `tarsy up` and each log line of a service came.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from idle import GIVE_UP_SECONDS, READY, ROOT, family, name_of
from processes import GONE, cpu_seconds
from saying import load_told, say

from tarsy_processes.ports import free_port

LOOK_SECONDS = 0.005
KEEPS_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Containers often set it: then each process compiles all modules again, as it does not on people's machines."""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds until it was ready, CPU seconds by process until then, and lines by the second in which they came."""

    seconds: float
    cpu: dict[str, float]
    lines: list[tuple[float, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*", default=[ROOT])
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--one", action="store_true", help="all services in one process")
    parser.add_argument("--lines", action="store_true")
    given = parser.parse_args()
    more = [] if given.one else ["--processes"]
    with load_told(), tempfile.TemporaryDirectory(prefix="tarsy-start-", ignore_cleanup_errors=True) as name:
        homes = {tree.resolve(): Path(name, str(number)) for number, tree in enumerate(given.trees)}
        found: dict[Path, list[Start]] = {tree: [] for tree in homes}
        for number in range(given.starts + 1):
            turns = list(homes.items())
            for tree, home in turns if number % 2 else turns[::-1]:
                start = started(tree, home, more)
                say(f"{tree.name}, {'warm' if number else 'first'}: {start.seconds:.2f} s, {cpu_of(start):.2f} of CPU")
                found[tree] += [start] if number else []
        for tree, starts in found.items():
            tell(tree, starts, lines=starts[-1].lines if given.lines else [])


def tell(tree: Path, starts: Sequence[Start], lines: Sequence[tuple[float, str]]) -> None:
    seconds = statistics.median(start.seconds for start in starts)
    say(f"{tree.name}: ready after {seconds:.2f} s, {statistics.median(map(cpu_of, starts)):.2f} s of CPU (medians)")
    for process in starts[-1].cpu:
        say(f"  {process:28} {statistics.median(start.cpu.get(process, 0.0) for start in starts):5.2f} s of CPU")
    for at, line in lines:
        say(f"  {at:6.2f}  {line}")


def cpu_of(start: Start) -> float:
    return sum(start.cpu.values())


def started(tree: Path, home: Path, more: Sequence[str]) -> Start:
    home.mkdir(exist_ok=True)
    ports = [f"--{port}-port={free_port()}" for port in ("http", "kafka", "database")]
    output = home / "up.log"
    with output.open("wb") as written:
        began, clock = time.monotonic(), time.time()
        up = subprocess.Popen(
            [tree / ".venv/bin/python", "-m", "tarsy_cli", "up", f"--home={home / 'home'}", *ports, *more],
            cwd=tree, stdout=written, stderr=written, env=KEEPS_BYTECODE,
        )  # fmt: skip
        try:
            lines: list[tuple[float, str]] = []
            while True:
                said = output.read_text("utf-8").splitlines()
                lines += [(time.monotonic() - began, line) for line in said[len(lines) :]]
                if any(re.match(READY, line) for line in said):
                    break
                if up.poll() is not None or time.monotonic() - began > GIVE_UP_SECONDS:
                    sys.exit(f"not ready: {output.read_text('utf-8')}")
                time.sleep(LOOK_SECONDS)
            seconds, cpu = time.monotonic() - began, cpu_by_name(up.pid)
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(120)
    return Start(seconds, cpu, sorted(lines + service_lines(home / "home", clock)))


def cpu_by_name(pid: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in family(pid):
        with suppress(*GONE):
            name = name_of(one)
            found[name] = found.get(name, 0.0) + cpu_seconds(one)
    return found


def service_lines(home: Path, began: float) -> list[tuple[float, str]]:
    """Log lines of services from `began` on, a time of the machine's clock."""
    found = []
    for file in [*(home / "logs").glob("*.log"), home / "tarsy.log"]:
        for line in file.read_text("utf-8").splitlines() if file.exists() else []:
            if line.startswith("{") and (at := _time_of(entry := json.loads(line))) is not None and at >= began:
                told = {key: value for key, value in entry.items() if key not in ("timestamp", "level", "event")}
                found.append((at - began, f"{file.stem}: {entry.get('event')} {told}"[:160]))
    return found


def _time_of(entry: dict[str, str]) -> float | None:
    return datetime.fromisoformat(entry["timestamp"]).timestamp() if "timestamp" in entry else None


if __name__ == "__main__":
    main()
