"""What TARSy itself takes for an iteration: `python benchmarks/iteration_overhead.py [--iterations 300] [--at-once 1]`.

From the end of a model's answer that asks for a tool to the next question to the model, with an instant model and an
instant tool behind real HTTP, all services and the projection at work. The tool's own time is nothing, so nothing is
taken off. By default it is measured with one session at a time, and then with ten. `--granted`: each call of the tool
needs a grant.
"""

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import uvloop
from outside import Note
from processes import Used, all_used
from saying import load_told, say, tail
from submitting import submit
from watching import Watch, follow
from whole_system import Plan, Whole, prepared, serving

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.events import LlmCallCompleted, ToolCallCompleted
from tarsy_verification.session_log import SessionLog, read_log

TURNS = 15
"""Iterations of a session that ask for a tool: below the limit of iterations, where a session is told to conclude."""
GIVE_UP_SECONDS = 120.0
LOOK_SECONDS = 0.02
WARM_UP_SESSIONS = 40
"""Kafka's JVM compiles as it goes: the figures are those of a system that has run for a while."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """Milliseconds, `parts` in order: until the answer was on the log, the tool's result, and the next question."""

    whole: float
    parts: tuple[float, float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--at-once", type=int, action="append", help="several times for several measurements")
    parser.add_argument("--granted", action="store_const", const="granted", default="reads", dest="tool")
    given = parser.parse_args()
    plan = Plan(model_seconds=0.0, tool_seconds=0.0, turns=TURNS, noting=True, tool=given.tool)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, plan, given.iterations, given.at_once or [1, 10]))


async def run(whole: Whole, plan: Plan, iterations: int, at_once: list[int]) -> None:
    watch, began = Watch(), asyncio.Event()
    async with serving(whole, plan), background_tasks(follow(whole.bus, watch, began)):
        await began.wait()
        await play(whole, watch, WARM_UP_SESSIONS, 1, first=0)
        ids: dict[int, dict[int, str]] = {}
        first = WARM_UP_SESSIONS
        for together in at_once:
            sessions = max(-(-iterations // TURNS), together)
            before = all_used(whole.processes())
            ids[together] = await play(whole, watch, sessions, together, first=first)
            first += sessions
            tell_cpu(before, all_used(whole.processes()), sessions * TURNS)
        logs = (await read_log(whole.bus)).sessions
        notes = defaultdict(list)
        for note in whole.around.notes():
            notes[note.number].append(note)
        for together, played in ids.items():
            tell(together, [one for number, id in played.items() for one in iterations_of(notes[number], logs[id])])


async def play(whole: Whole, watch: Watch, sessions: int, together: int, *, first: int) -> dict[int, str]:
    """So many at a time, each group after the end of the one before."""
    ids: dict[int, str] = {}
    while len(ids) < sessions:
        ids |= await submit(whole.system.of("ingest").url, min(together, sessions - len(ids)), first=first + len(ids))
        limit = time.monotonic() + GIVE_UP_SECONDS
        while not watch.ended.keys() >= set(ids.values()):
            if time.monotonic() > limit:
                raise TimeoutError(f"of {len(ids)} sessions {len(watch.ended.keys() & set(ids.values()))} ended")
            await asyncio.sleep(LOOK_SECONDS)
    return ids


def iterations_of(notes: list[Note], log: SessionLog) -> Iterator[Iteration]:
    """Kafka stamps in whole milliseconds: the parts are no more exact than that."""
    answered = [note.at for note in notes if note.what == "answered"]
    asked = [note.at for note in notes if note.what == "asked"]
    on_log = stamps(log)
    for number in range(min(TURNS, len(asked) - 1)):
        answer, question = answered[number], asked[number + 1]
        told, result = on_log["answer"][number], on_log["result"][number]
        parts = ((told - answer) * 1000, (result - told) * 1000, (question - result) * 1000)
        yield Iteration((question - answer) * 1000, parts)


def stamps(log: SessionLog) -> Mapping[str, list[float]]:
    """When the answers, and the tools' results, were appended."""
    found = defaultdict(list)
    for record in log.accepted:
        match record.event:
            case LlmCallCompleted():
                found["answer"].append(record.appended_at.timestamp())
            case ToolCallCompleted():
                found["result"].append(record.appended_at.timestamp())
            case _:
                pass
    return found


def tell_cpu(before: Mapping[str, Used], after: Mapping[str, Used], iterations: int) -> None:
    """On a noisy machine this says more than the clock does."""
    used = {name: (one.cpu_seconds - before[name].cpu_seconds) * 1000 / iterations for name, one in after.items()}
    told = ", ".join(f"{name} {milliseconds:.1f}" for name, milliseconds in used.items())
    say(f"CPU of an iteration: {sum(used.values()):.1f} ms ({told})")


def tell(together: int, found: list[Iteration]) -> None:
    say(f"sessions at a time: {together}")
    say(f"  answer to next question: {tail([one.whole for one in found])}")
    for number, what in enumerate(("answer to the log", "tool's result on the log", "next question to the model")):
        say(f"  - {what}: {tail([one.parts[number] for one in found])}")


if __name__ == "__main__":
    main()
