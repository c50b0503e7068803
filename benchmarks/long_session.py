"""One session that gets long: `python benchmarks/long_session.py [--iterations 400]`.

What an iteration takes at its beginning, in its middle and at its end, from the end of an answer of the model to its
next question, and the CPU of all processes meanwhile. Model and tool are instant, so all of it is TARSy's own. A long
session goes alone, after a few short ones.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Mapping
from itertools import pairwise

import uvloop
from iteration_overhead import play
from outside import Note
from processes import Used, all_used
from saying import load_told, say, tail
from submitting import submit
from watching import Watch, follow
from whole_system import Plan, Whole, prepared, serving

from tarsy_bus.background_tasks import background_tasks

WINDOW = 40
"""Iterations that are measured together."""
FROM = 2
GIVE_UP_SECONDS = 300.0
WARM_UP_SESSIONS = 4
"""As long as the one that is measured: more would take minutes."""
LOOK_SECONDS = 0.05
GOAL = 1.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=400)
    given = parser.parse_args()
    plan = Plan(model_seconds=0.0, tool_seconds=0.0, turns=given.iterations, noting=True)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, plan, given.iterations))


async def run(whole: Whole, plan: Plan, iterations: int) -> None:
    watch, began = Watch(), asyncio.Event()
    starts = [FROM, iterations // 2 - WINDOW // 2, iterations - WINDOW - 1]
    async with serving(whole, plan), background_tasks(follow(whole.bus, watch, began)):
        await began.wait()
        # The first of a system that has just started are slow, whatever their number.
        await play(whole, watch, WARM_UP_SESSIONS, WARM_UP_SESSIONS, first=0)
        number = WARM_UP_SESSIONS
        await submit(whole.system.of("ingest").url, 1, first=number)
        used = await cpu_at(whole, number, [mark for start in starts for mark in (start, start + WINDOW)])
    notes = [note for note in whole.around.notes() if note.number == number]
    durations = durations_of(notes)
    first = statistics.median(durations[starts[0] : starts[0] + WINDOW])
    for start in starts:
        of_window = durations[start : start + WINDOW]
        ratio = statistics.median(of_window) / first
        say(f"iterations {start} to {start + WINDOW}: {tail(of_window)}: {ratio:.2f} x the first (goal: {GOAL} x)")
        tell_cpu(used[start], used[start + WINDOW])


async def cpu_at(whole: Whole, number: int, marks: list[int]) -> dict[int, Mapping[str, Used]]:
    """What every process had used when the model was asked for this iteration."""
    found: dict[int, Mapping[str, Used]] = {}
    limit = time.monotonic() + GIVE_UP_SECONDS
    while len(found) < len(marks):
        asked = sum(note.what == "asked" and note.number == number for note in whole.around.notes())
        for mark in marks:
            if mark not in found and asked >= mark:
                found[mark] = all_used(whole.processes())
        if time.monotonic() > limit:
            raise TimeoutError(f"the model was asked {asked} times in {GIVE_UP_SECONDS:g} s")
        await asyncio.sleep(LOOK_SECONDS)
    return found


def durations_of(notes: list[Note]) -> list[float]:
    """Milliseconds from each answer to the next question."""
    both = pairwise(sorted(notes, key=lambda note: note.at))
    return [
        (after.at - before.at) * 1000 for before, after in both if (before.what, after.what) == ("answered", "asked")
    ]


def tell_cpu(before: Mapping[str, Used], after: Mapping[str, Used]) -> None:
    used = {name: (one.cpu_seconds - before[name].cpu_seconds) * 1000 / WINDOW for name, one in after.items()}
    told = ", ".join(f"{name} {milliseconds:.1f}" for name, milliseconds in used.items())
    say(f"  CPU of an iteration: {sum(used.values()):.1f} ms ({told})")


if __name__ == "__main__":
    main()
