"""A storm of one alert: `python benchmarks/repeats.py [--alerts 10000]`.

Real Kafka, PostgreSQL and services, each in a process of its own. All alerts say the same: they are one investigation
that counts each of them, and every id that a sender was given leads to it.
"""

import argparse
import asyncio
import time

import httpx2
import uvloop
from processes import Used, all_used
from saying import load_told, say
from submitting import submit
from whole_system import Plan, Whole, prepared, serving

from tarsy_contracts import events as e
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import read_log

MODEL_SECONDS, TOOL_SECONDS = 2.0, 1.0
GIVE_UP_SECONDS = 300.0
LOOK_SECONDS = 0.5
SAMPLE = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alerts", type=int, default=10_000)
    given = parser.parse_args()
    plan = Plan(MODEL_SECONDS, TOOL_SECONDS)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, plan, given.alerts))


async def run(whole: Whole, plan: Plan, alerts: int) -> None:
    async with serving(whole, plan):
        before, start = all_used(whole.processes()), time.monotonic()
        ids = await submit(whole.system.of("ingest").url, alerts, text=lambda _: "The disk of db-1 is full. " * 20)
        taken = time.monotonic() - start
        answered = sorted(set(ids.values()))
        say(f"{alerts} alerts taken in after {taken:.1f} s ({alerts / taken:.0f}/s), {len(answered)} ids answered")
        counted = await until_counted(whole, answered, alerts)
        say(f"{counted} of {alerts} alerts counted after {time.monotonic() - start:.1f} s")
        await told_of_log(whole, alerts)
        say_processes(before, all_used(whole.processes()), alerts)


async def until_counted(whole: Whole, ids: list[str], alerts: int) -> int:
    """Alerts that the API shows, the first of each session included."""
    url = f"{whole.system.of('timeline').url}/api/v1/sessions"
    counted, limit = 0, time.monotonic() + GIVE_UP_SECONDS
    async with httpx2.AsyncClient(trust_env=False) as client:
        while counted < alerts and time.monotonic() < limit:
            await asyncio.sleep(LOOK_SECONDS)
            listed = (await client.get(url)).json()["sessions"]
            counted = sum(1 + row["repeat_count"] for row in listed)
        found = [(await client.get(f"{url}/{id}/status")).status_code for id in ids[:SAMPLE]]
    say(f"{found.count(200)} of {len(found)} answered ids lead to a session")
    return counted


async def told_of_log(whole: Whole, alerts: int) -> None:
    reading = await read_log(whole.bus)
    faults = [fault for log in reading.sessions.values() for fault in chain_faults(log)]
    repeated = [event for log in reading.sessions.values() for event in log.events(e.AlertRepeated)]
    count = len(reading.sessions) + sum(event.count for event in repeated)
    say(f"{len(reading.sessions)} sessions, {len(repeated)} alert.repeated, {count} of {alerts} alerts on the log")
    for fault in faults:
        say(f"  {fault}")
    say(
        f"the largest alert.repeated stands for {max((one.count for one in repeated), default=0)}; {len(faults)} faults"
    )


def say_processes(before: dict[str, Used], after: dict[str, Used], alerts: int) -> None:
    say(f"{'process':22} {'CPU s':>7} {'ms an alert':>12} {'MB before':>10} {'MB after':>9}")
    for name, end in after.items():
        cpu = end.cpu_seconds - before[name].cpu_seconds
        memory = f"{before[name].memory_mb:10.0f} {end.memory_mb:9.0f}"
        say(f"{name:22} {cpu:7.1f} {cpu / alerts * 1000:12.2f} {memory}")


if __name__ == "__main__":
    main()
