"""Calls a second with 1, 2 and 4 gateways: `python benchmarks/gateway_instances.py [--at-once 20] [--seconds 15]`.

The tool takes one second, and each gateway runs so many calls at once: N gateways can end N times as many a second,
and at least 0.9 of that is wanted. The calls are spread over the queue as the orchestrator spreads them, and a few
times more of them wait than can run, as they do when an instance more is needed.
"""

import argparse
import asyncio
import time
from collections import Counter

import uvloop
from gateways import Asking, Gateways, asking, prepared
from processes import used
from saying import load_told, say

TOOL_SECONDS = 1.0
INSTANCES = (1, 2, 4)
WANTED = 0.9
WAITING = 4
"""So many times as many calls as can run are asked for at a time."""
SETTLE_SECONDS = 60.0


class Load:
    """A number of callers, each of which asks again when it has its answer."""

    def __init__(self, owner: Asking, *, instances: int, at_once: int) -> None:
        self._owner = owner
        self._instances = instances
        self._at_once = at_once
        self.ended: Counter[str] = Counter()
        self.settled = asyncio.Event()
        """All instances take part."""
        self.over = False

    async def run(self, callers: int) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(callers):
                tasks.create_task(self._ask_again_and_again())

    async def _ask_again_and_again(self) -> None:
        while not self.over:
            told = await self._owner.call()
            assert told.outcome == "ok", told
            self.ended[told.worker_id] += 1
            if len(self.ended) == self._instances and min(self.ended.values()) >= 2 * self._at_once:
                self.settled.set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=15.0)
    given = parser.parse_args()
    with load_told(), prepared(tool_seconds=TOOL_SECONDS, concurrent=given.at_once) as gateways:
        uvloop.run(measure(gateways, given.at_once, given.seconds))


async def measure(gateways: Gateways, at_once: int, seconds: float) -> None:
    async with asking(gateways.system.bus) as owner:
        rates: dict[int, float] = {}
        for instances in INSTANCES:
            processes = await gateways.start(instances - len(gateways.system.alive("tool-gateway")))
            cpu = sum(used(one.process.pid).cpu_seconds for one in processes)
            rates[instances] = await rate(owner, instances, at_once, seconds)
            cpu = sum(used(one.process.pid).cpu_seconds for one in processes) - cpu
            say_rate(instances, rates, at_once)
            say(f"  CPU of the gateways meanwhile: {cpu:.1f} s")


async def rate(owner: Asking, instances: int, at_once: int, seconds: float) -> float:
    """Calls that ended in a second, once all instances take part."""
    load = Load(owner, instances=instances, at_once=at_once)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(load.run(WAITING * instances * at_once))
        async with asyncio.timeout(SETTLE_SECONDS):
            await load.settled.wait()
        before, began = load.ended.copy(), time.monotonic()
        await asyncio.sleep(seconds)
        found, took = load.ended - before, time.monotonic() - began
        load.over = True
    shares = ", ".join(f"{count / took:.1f}" for count in sorted(found.values()))
    say(f"{instances} gateways, each for itself: {shares} calls/s")
    return found.total() / took


def say_rate(instances: int, rates: dict[int, float], at_once: int) -> None:
    found = rates[instances]
    of_one, of_bound = found / (instances * rates[1]), found * TOOL_SECONDS / (instances * at_once)
    verdict = "" if of_one >= WANTED else f", wanted are {WANTED}"
    say(
        f"{instances} gateways: {found:.1f} calls/s, {of_one:.2f} of {instances} times one{verdict}; "
        f"{of_bound:.2f} of what {instances * at_once} calls at once can be"
    )


if __name__ == "__main__":
    main()
