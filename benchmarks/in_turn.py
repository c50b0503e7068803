"""Two commits, in turn: `python benchmarks/in_turn.py BEFORE AFTER [--slices 30] [--boots 2]`.

Each is the folder of a checkout that was set up (`make setup`). Both run whole, side by side, and take turns of some
sessions one after the other, measured as iteration_overhead.py does. On these machines two runs of the same commit an
hour apart differ by a third, and neighbouring slices by much less. Each boot starts the other one first.
"""

import argparse
import asyncio
import importlib
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from saying import say

SESSIONS = 2
"""In a slice. Each has 15 iterations."""
WARM_UP_SESSIONS = 6


@dataclass(frozen=True, slots=True)
class Slice:
    """Milliseconds of each iteration, and CPU milliseconds of an iteration, by process."""

    iterations: list[float]
    cpu: dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--slices", type=int, default=30)
    parser.add_argument("--boots", type=int, default=2)
    given = parser.parse_args()
    pairs = []
    for boot in range(given.boots):
        pairs += measured(given.before, given.after, given.slices, first_is_after=boot % 2 == 1)
    tell(pairs)


def measured(before: Path, after: Path, slices: int, *, first_is_after: bool) -> list[tuple[Slice, Slice]]:
    trees = [after, before] if first_is_after else [before, after]
    with played(trees[0]) as first, played(trees[1]) as second:
        for player in (first, second):
            player.ask("")
        pairs = [(first.ask("play"), second.ask("play")) for _ in range(slices)]
    return [(right, left) if first_is_after else (left, right) for left, right in pairs]


@dataclass(frozen=True, slots=True)
class Player:
    """A commit that runs in a process of its own, with that commit's own packages."""

    asks: IO[str]
    answers: IO[str]

    def ask(self, line: str) -> Slice:
        self.asks.write(line + "\n")
        self.asks.flush()
        for answer in self.answers:
            if answer.startswith("{"):
                return Slice(**json.loads(answer))
        raise RuntimeError("it ended: see what it printed")


@contextmanager
def played(tree: Path) -> Iterator[Player]:
    command = [str(tree / ".venv/bin/python"), str(Path(__file__).resolve()), "--play", str(tree)]
    with subprocess.Popen(command, cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Player(process.stdin, process.stdout)
        process.stdin.close()
        process.stdout.read()


def tell(pairs: list[tuple[Slice, Slice]]) -> None:
    before, after = [left for left, _ in pairs], [right for _, right in pairs]
    p50s = [statistics.median(value for one in side for value in one.iterations) for side in (before, after)]
    say(f"iteration: p50 {p50s[0]:.1f} ms before, {p50s[1]:.1f} ms after: {p50s[1] / p50s[0]:.3f}")
    ratios = [statistics.median(right.iterations) / statistics.median(left.iterations) for left, right in pairs]
    say(f"  of neighbouring slices: {quartiles(ratios)}, {len(ratios)} pairs")
    ratios = [sum(right.cpu.values()) / sum(left.cpu.values()) for left, right in pairs]
    say(f"CPU of an iteration, all processes: {quartiles(ratios)}")
    for name in before[0].cpu:
        left, right = (statistics.mean(one.cpu[name] for one in side) for side in (before, after))
        say(f"  {name}: {left:.2f} ms before, {right:.2f} ms after")


def quartiles(ratios: list[float]) -> str:
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.3f} (quartiles {low:.3f} and {high:.3f})"


def play(tree: Path) -> None:
    """In the commit's own process, with its own modules: plays a slice for each line of its input."""
    sys.path.insert(0, str(tree / "benchmarks"))
    whole_system = importlib.import_module("whole_system")
    turns = importlib.import_module("iteration_overhead").TURNS
    plan = whole_system.Plan(model_seconds=0.0, tool_seconds=0.0, turns=turns, noting=True)
    with whole_system.prepared(plan) as whole:
        importlib.import_module("uvloop").run(_play_slices(whole, plan))


async def _play_slices(whole: Any, plan: Any) -> None:
    module, all_used = importlib.import_module("iteration_overhead"), importlib.import_module("processes").all_used
    watch, began, first = module.Watch(), asyncio.Event(), 0
    async with module.serving(whole, plan):
        following = asyncio.create_task(module.follow(whole.bus, watch, began))
        await began.wait()
        while line := await asyncio.to_thread(sys.stdin.readline):
            sessions = SESSIONS if line.strip() else WARM_UP_SESSIONS
            before = all_used(whole.processes())
            await module.play(whole, watch, sessions, 1, first=first)
            after, played_iterations = all_used(whole.processes()), sessions * module.TURNS
            cpu = {
                name: (after[name].cpu_seconds - one.cpu_seconds) * 1000 / played_iterations
                for name, one in before.items()
            }
            notes = [note for note in whole.around.notes() if note.number >= first]
            first += sessions
            say(json.dumps({"iterations": iterations(notes), "cpu": cpu}))
        following.cancel()


def iterations(notes: list[Any]) -> list[float]:
    """Milliseconds from the end of each answer to the next question."""
    found = []
    for number in sorted({note.number for note in notes}):
        answered = [note.at for note in notes if note.number == number and note.what == "answered"]
        asked = [note.at for note in notes if note.number == number and note.what == "asked"]
        found += [(question - answer) * 1000 for answer, question in zip(answered, asked[1:], strict=False)]
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(Path(sys.argv[2]))
    else:
        main()
