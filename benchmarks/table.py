"""Table of what is measured against a goal: one line a row, and a script that prints its figures.

A row is added by a line in ROWS. Its script is run by itself, with a system of its own. Before each row the yardstick
tells what the machine does now.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saying import say
from yardstick import loop_milliseconds

HERE = Path(__file__).resolve().parent


MOST_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Limit:
    """Of a number that the script prints: the first group of the pattern, each time that it is found."""

    name: str
    pattern: str
    most: float | None = None
    least: float | None = None

    def missed_by(self, printed: str) -> list[str]:
        """What misses the limit, in words. A number that is not there misses it."""
        found = [float(one.replace(",", "")) for one in re.findall(self.pattern, printed, re.MULTILINE)]
        missed = [one for one in found if not self._holds(one)]
        if not found:
            return [f"{self.name} was not printed"]
        return [f"{self.name} {one:g}, goal {self._goal()}" for one in missed]

    def _holds(self, number: float) -> bool:
        return (self.most is None or number <= self.most) and (self.least is None or number >= self.least)

    def _goal(self) -> str:
        return f"<= {self.most:g}" if self.most is not None else f">= {self.least:g}"


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """`figures`: the lines of the script that are shown begin so; all of them where there are none. `limits` make a
    verdict of what it prints."""

    name: str
    goal: str
    command: tuple[str, ...]
    figures: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()


ITERATION = ("CPU of an iteration", "  answer to next question")
ACCEPTING = ">= 1,000/s, p99 < 50 ms; <= 1 ms of CPU to accept, <= 3 ms until it is listed"
ACCEPTED = ("processes, ", "one, ", "p50", "CPU ms", "the list")
WATCHED = ("yardstick", "subscribed", "token to client")
IDLE = ("warm start", "TARSy:", "Kafka and PostgreSQL:")
ROWS = (
    BenchmarkRow(
        "iteration", "p50 <= 10 ms, p99 <= 20 ms, CPU <= 9 ms", ("iteration_overhead.py", "--at-once", "1"), ITERATION
    ),
    BenchmarkRow(
        "granted iteration",
        "5 ms more than an iteration",
        ("iteration_overhead.py", "--at-once", "1", "--granted"),
        ITERATION,
    ),
    BenchmarkRow(
        "1,000 sessions at once, as processes",
        "<= 22 s, <= 30 s of CPU",
        ("sessions_at_once.py",),
        ("1000 of 1000", "all ", "memory of an open session"),
    ),
    BenchmarkRow(
        "1,000 sessions at once, in one process", "<= 35 s", ("sessions_in_one_process.py",), ("the API shows", "all ")
    ),
    BenchmarkRow("accepting, as processes", ACCEPTING, ("accepting.py",), ACCEPTED),
    BenchmarkRow("accepting, in one process", ACCEPTING, ("accepting.py", "--mode", "one"), ACCEPTED),
    BenchmarkRow("token to client", "p50 <= 15 ms, p99 <= 40 ms, with or without line ends", ("token_latency.py",)),
    BenchmarkRow("300 clients", "all subscribed in 0.5 s, p99 < 100 ms", ("watching_clients.py",), WATCHED),
    BenchmarkRow(
        "1,000 clients",
        "all subscribed in 1 s, p99 < 250 ms, one stalled",
        ("watching_clients.py", "--sessions", "20", "--clients", "1000", "--stalled", "1"),
        WATCHED,
    ),
    BenchmarkRow("a crowd, in one process", "all subscribed in 0.5 s, p99 < 100 ms", ("crowd.py",), WATCHED),
    BenchmarkRow(
        "a crowd, as processes", "all subscribed in 0.5 s, p99 < 100 ms", ("crowd.py", "--mode", "processes"), WATCHED
    ),
    BenchmarkRow("kill -9 of everything", "p99 < 8 s", ("kill_all.py", "--processes")),
    BenchmarkRow("idle, in one process", "2 % + 3 % of a core; warm start < 4 s", ("idle.py",), IDLE),
    BenchmarkRow("idle, as processes", "< 600 MB, < 8 % of a core", ("idle.py", "--processes"), IDLE),
)


def print_table(wanted: Sequence[str], rows: Sequence[BenchmarkRow] = ROWS) -> None:
    """The rows whose names begin with one of these; all for none."""
    for row in rows:
        if not wanted or row.name.startswith(tuple(wanted)):
            say(f"{row.name}: goal {row.goal} ({_machine_now()})")
            printed = _printed_by(row)
            for line in printed.splitlines():
                if not row.figures or line.startswith(row.figures):
                    say(f"  {line.strip()}")
            if row.limits:
                missed = [told for limit in row.limits for told in limit.missed_by(printed)]
                say(f"  verdict: {'missed: ' + '; '.join(missed) if missed else 'met'}")


def _machine_now() -> str:
    """CPU alone would not tell that others use the cores: time that is longer does."""
    began = time.monotonic()
    cpu = loop_milliseconds()
    took = (time.monotonic() - began) * 1000
    return f"yardstick: a loop took {took:.0f} ms, {cpu:.0f} of CPU; load {os.getloadavg()[0]:.1f}"


def _printed_by(row: BenchmarkRow) -> str:
    script, *arguments = row.command
    command = [sys.executable, str(HERE / script), *arguments]
    # Its own end takes its system with it, as Ctrl-C does: a script that is killed would leave Kafka running.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            printed, _ = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            printed, _ = process.communicate()
    return printed if not process.returncode else f"{printed}{script} ended with {process.returncode}: run it by itself"
