"""Many sessions at once: `python benchmarks/sessions_at_once.py [--sessions 1000] [--orchestrators 1] [--gateways 1]`.

Real Kafka, PostgreSQL and services, each in a process of its own; a local model that takes 2 s for an answer, and a
local MCP server whose tool takes 1 s. A session asks the model five times and the tool four times: 14 s when alone.
The executive summary is a sixth question, which the model answers at once.
"""

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

import httpx2
import uvloop
from processes import Used, all_used
from saying import load_told, say
from submitting import submit
from watching import Watch, follow, until_ended
from whole_system import Plan, Whole, prepared, serving

from tarsy_bus.background_tasks import background_tasks
from tarsy_soak.observation import held_above
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import read_log

MODEL_SECONDS, TOOL_SECONDS = 2.0, 1.0
ALONE_SECONDS = 5 * MODEL_SECONDS + 4 * TOOL_SECONDS
GIVE_UP_SECONDS = 600.0
SHOWN_SECONDS = 120.0
SETTLE_SECONDS = 3.0
SHOWN_FAULTS = 10
HISTOGRAMS = {
    "tarsy_orchestrator_batch_events": "events a batch of the log",
    "tarsy_orchestrator_append_duration_seconds": "seconds from a batch's append to its reading back",
    "tarsy_timeline_projection_duration_seconds": "seconds a transaction of the projector",
    "tarsy_tool_gateway_call_duration_seconds": "seconds a tool call",
    "tarsy_orchestrator_llm_call_duration_seconds": "seconds an LLM call",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--orchestrators", type=int, default=1)
    parser.add_argument("--gateways", type=int, default=1)
    given = parser.parse_args()
    plan = Plan(MODEL_SECONDS, TOOL_SECONDS, orchestrators=given.orchestrators, gateways=given.gateways)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, plan, given.sessions))


async def run(whole: Whole, plan: Plan, sessions: int) -> None:
    watch, began = Watch(), asyncio.Event()
    async with serving(whole, plan), background_tasks(follow(whole.bus, watch, began)):
        await began.wait()
        await asyncio.sleep(SETTLE_SECONDS)
        before, start = all_used(whole.processes()), time.monotonic()
        ids = await submit(whole.system.of("ingest").url, sessions)
        say(f"{sessions} alerts taken in after {time.monotonic() - start:.1f} s")
        await asyncio.sleep(ALONE_SECONDS / 2)
        middle = all_used(whole.processes())
        complete = await until_ended(watch, sessions, GIVE_UP_SECONDS)
        took = watch.last_at - start
        say(f"{len(watch.ended)} of {sessions} sessions ended after {took:.1f} s (alone: {ALONE_SECONDS:g} s)")
        if complete:
            await told_of_projection(whole, sessions, start)
        after = all_used(whole.processes())
        told_of_processes(before, middle, after, sessions)
        await told_of_metrics(whole)
        await told_of_loops(whole)
        await told_of_faults(whole, list(ids.values()))


async def told_of_projection(whole: Whole, sessions: int, start: float) -> None:
    """The same, as the API shows it."""
    url = f"{whole.system.of('timeline').url}/api/v1/sessions"
    async with httpx2.AsyncClient(trust_env=False) as client:
        while time.monotonic() - start < GIVE_UP_SECONDS + SHOWN_SECONDS:
            answer = await client.get(url, params={"status": "completed,failed,cancelled,timed_out", "page_size": 1})
            if answer.json()["pagination"]["total_items"] >= sessions:
                say(f"the API shows all of them ended after {time.monotonic() - start:.1f} s")
                return
            await asyncio.sleep(0.1)
    say("the API never showed all of them ended")


def told_of_processes(
    before: Mapping[str, Used], middle: Mapping[str, Used], after: Mapping[str, Used], sessions: int
) -> None:
    say(f"{'process':22} {'CPU s':>7} {'ms a session':>13} {'MB before':>10} {'MB all open':>12} {'MB after':>9}")
    total = 0.0
    for name, end in after.items():
        cpu = end.cpu_seconds - before[name].cpu_seconds
        total += cpu
        memory = f"{before[name].memory_mb:10.0f} {middle[name].memory_mb:12.0f} {end.memory_mb:9.0f}"
        say(f"{name:22} {cpu:7.1f} {cpu / sessions * 1000:13.1f} {memory}")
    say(f"{'all':22} {total:7.1f} {total / sessions * 1000:13.1f}")
    grown = sum(middle[name].memory_mb - before[name].memory_mb for name in middle if name.startswith("orchestrator"))
    say(f"memory of an open session in the orchestrators: {grown / sessions * 1024:.0f} kB")


async def told_of_metrics(whole: Whole) -> None:
    """Mean of each histogram, over all processes that have it."""
    sums: defaultdict[str, float] = defaultdict(float)
    async with httpx2.AsyncClient(trust_env=False) as client:
        for process in whole.system.processes:
            page = (await client.get(f"{process.url}/metrics")).text
            for line in page.splitlines():
                name, _, value = line.rpartition(" ")
                if not line.startswith("#"):
                    sums[name.partition("{")[0]] += float(value)
    for name, what in HISTOGRAMS.items():
        if count := sums[f"{name}_count"]:
            say(f"{what}: {sums[f'{name}_sum'] / count:.3f} on average of {count:.0f}")


async def told_of_loops(whole: Whole) -> None:
    """How often a process held its event loop: nothing may hold one for 100 ms."""
    async with httpx2.AsyncClient(trust_env=False) as client:
        for process in whole.system.processes:
            page = (await client.get(f"{process.url}/metrics")).text
            held = {limit: held_above(page, limit) for limit in ("0.05", "0.1", "0.25")}
            told = ", ".join(f"{count:.0f} times for more than {limit} s" for limit, count in held.items())
            say(f"{process.service} held its event loop {told}")


async def told_of_faults(whole: Whole, ids: Sequence[str]) -> None:
    """Nothing lost: each alert has one session, which completed, in one chain."""
    reading = await read_log(whole.bus)
    faults = [f"{id} is not on the log" for id in ids if id not in reading.sessions]
    for id, log in reading.sessions.items():
        faults += [f"{id}: {fault}" for fault in chain_faults(log)]
        if log.types[-1:] != ["session.completed"]:
            faults.append(f"{id} ended with {log.types[-1:]}")
    events = sum(len(log.accepted) for log in reading.sessions.values())
    dropped = sum(len(log.dropped) for log in reading.sessions.values())
    say(f"{len(reading.sessions)} sessions, {events} events, {dropped} dropped, {len(faults)} faults")
    for fault in faults[:SHOWN_FAULTS]:
        say(f"  {fault}")


if __name__ == "__main__":
    main()
