"""Table of what is measured against a goal: one line a row, and a script that prints its figures.

A row is added by a line in ROWS. Its script is run by itself, with a system of its own.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saying import say

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """`figures`: the lines of the script that are shown begin so; all of them where there are none."""

    name: str
    goal: str
    command: tuple[str, ...]
    figures: tuple[str, ...] = ()


ITERATION = ("CPU of an iteration", "  answer to next question")
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
    BenchmarkRow("long session", "the 200th iteration within 1.2 x of the 2nd", ("long_session.py",), ("iterations",)),
    BenchmarkRow(
        "1,000 sessions at once, as processes",
        "<= 22 s, <= 30 s of CPU",
        ("sessions_at_once.py",),
        ("1000 of 1000", "all ", "memory of an open session"),
    ),
)


def print_table(wanted: Sequence[str]) -> None:
    """The rows whose names begin with one of these; all for none."""
    for row in ROWS:
        if not wanted or row.name.startswith(tuple(wanted)):
            say(f"{row.name}: goal {row.goal}")
            for line in _lines_of(row):
                say(f"  {line.strip()}")


def _lines_of(row: BenchmarkRow) -> list[str]:
    script, *arguments = row.command
    made = subprocess.run(
        [sys.executable, str(HERE / script), *arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    if made.returncode:
        return [f"{script} failed with {made.returncode}: run it by itself"]
    lines = made.stdout.splitlines()
    return [line for line in lines if not row.figures or line.startswith(row.figures)]
