"""How long sessions stand still when their orchestrator goes: `python benchmarks/take_over.py [--sessions 200]`.

Two orchestrators, live sessions on both. One of them is killed (`kill -9`), later another one is told to stop
(SIGTERM). Timed, for every session of the partitions that it had: until the session goes on, which is its first event
that somebody else wrote, or its question to the model, asked again.
"""

import argparse
import asyncio
import signal
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2
import uvloop
from aiokafka import ConsumerRecord
from saying import load_told, say
from submitting import submit
from watching import Watch, follow, until_ended
from whole_system import Plan, Whole, prepared, serving

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.events import ENDINGS
from tarsy_system import ServiceProcess
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import read_log

MODEL_SECONDS, TOOL_SECONDS = 2.0, 1.0
LIVE_SECONDS = 5.0
"""After so long all sessions are in the middle."""
GIVE_UP_SECONDS = 120.0
MARGIN_SECONDS = 2.0
BALANCED_SECONDS = 5.0
LIMITS = {signal.SIGKILL: "the group's session timeout + 2 s", signal.SIGTERM: "2 s"}


@dataclass
class Owners:
    """By whom the last event of each partition was written, and where and when each session had its events."""

    writer: dict[int, str] = field(default_factory=dict)
    partition: dict[str, int] = field(default_factory=dict)
    events: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    def take(self, record: "ConsumerRecord[bytes, bytes]", type: str) -> None:
        if record.key is None:
            return
        session_id = record.key.decode()
        source = next(value.decode() for name, value in record.headers if name == "ce_source")
        self.writer[record.partition] = source
        self.partition[session_id] = record.partition
        self.events.setdefault(session_id, []).append((time.time(), source))
        if type in ENDINGS:
            self.ended.add(session_id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=200)
    given = parser.parse_args()
    plan = Plan(MODEL_SECONDS, TOOL_SECONDS, orchestrators=2, noting=True)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, plan, given.sessions))


async def run(whole: Whole, plan: Plan, sessions: int) -> None:
    watch, owners, began = Watch(), Owners(), asyncio.Event()
    async with serving(whole, plan), background_tasks(follow(whole.bus, watch, began, owners.take)):
        await began.wait()
        await asyncio.sleep(BALANCED_SECONDS)
        for number, how in enumerate((signal.SIGKILL, signal.SIGTERM)):
            if number:
                another = whole.system.start("orchestrator", name=f"orchestrator-{number + 2}")
                await whole.system.until_ready(another)
                await asyncio.sleep(BALANCED_SECONDS)
            await strike(whole, watch, owners, sessions, number * sessions, how)
            await told_of_recoveries(whole)
        await told_of_faults(whole)


async def strike(whole: Whole, watch: Watch, owners: Owners, sessions: int, first: int, how: signal.Signals) -> None:
    before = len(watch.ended)
    ids = await submit(whole.system.of("ingest").url, sessions, first=first)
    await asyncio.sleep(LIVE_SECONDS)
    victim = running_orchestrators(whole)[0]
    source = f"orchestrator/{victim.name}"
    lost = [id for id in ids.values() if owners.writer.get(owners.partition.get(id, -1)) == source]
    live = {id for id in lost if id not in owners.ended}
    struck = time.time()
    victim.process.send_signal(how)
    complete = await until_ended(watch, before + sessions, GIVE_UP_SECONDS)
    seconds = stood_still(whole, owners, ids, live, source, struck)
    say(
        f"{how.name} of the owner of {len(live)} live sessions of {sessions}: gone on after p50 "
        f"{statistics.median(seconds.values()):.2f} s, the last after {max(seconds.values()):.2f} s; "
        f"{len(live) - len(seconds)} never; limit {LIMITS[how]}"
        + (f" = {whole.bus.session_timeout_ms / 1000 + MARGIN_SECONDS:g} s" if how == signal.SIGKILL else "")
    )
    if not complete:
        say(f"only {len(watch.ended) - before} of {sessions} sessions ended")


def stood_still(
    whole: Whole, owners: Owners, ids: Mapping[int, str], live: set[str], source: str, struck: float
) -> dict[str, float]:
    """Seconds until each of them went on; those that never did are not in it."""
    signs: dict[str, list[float]] = {id: [] for id in live}
    for id in live:
        signs[id] += [at for at, writer in owners.events[id] if at > struck and writer != source]
    for note in whole.around.notes():
        id = ids.get(note.number, "")
        if note.what == "asked" and note.at > struck and id in signs:
            signs[id].append(note.at)
    return {id: min(found) - struck for id, found in signs.items() if found}


def running_orchestrators(whole: Whole) -> list[ServiceProcess]:
    found = whole.system.processes
    return [one for one in found if one.service == "orchestrator" and one.process.poll() is None]


async def told_of_recoveries(whole: Whole) -> None:
    """Of those that are still there: from an assignment of partitions to deciding again, all times added up."""
    name = "tarsy_orchestrator_recovery_duration_seconds"
    async with httpx2.AsyncClient(trust_env=False) as client:
        for one in running_orchestrators(whole):
            lines = (await client.get(f"{one.url}/metrics")).text.splitlines()
            found = dict(line.rsplit(" ", 1) for line in lines if line.startswith(name))
            took, times = float(found[f"{name}_sum"]), float(found[f"{name}_count"])
            say(f"  {one.name}: {times:.0f} recoveries took {took:.2f} s")


async def told_of_faults(whole: Whole) -> None:
    reading = await read_log(whole.bus)
    faults = [f"{id}: {fault}" for id, log in reading.sessions.items() for fault in chain_faults(log)]
    unfinished = [id for id, log in reading.sessions.items() if log.types[-1:] != ["session.completed"]]
    say(f"{len(reading.sessions)} sessions, {len(unfinished)} not completed, {len(faults)} faults")
    for fault in [*faults, *unfinished][:10]:
        say(f"  {fault}")


if __name__ == "__main__":
    main()
