"""A flood of alerts: `python benchmarks/flood.py [--alerts 10000] [--mode processes|one] [--kind distinct|identical]
[--max-pending N]`.

So many alerts, 32 senders at once, through the one port of `tarsy up`. A sender repeats an alert that was answered with
503 or 429, after the pause that the answer asks for. `--max-pending` is `queue.max_pending`. It prints seconds,
answers, CPU, memory at its peak, and how many sessions of those that the answers named the list does not have.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import httpx2
import uvloop
from accepting import show_cpu, until_shown
from instance_with_fakes import MODES, NO_BOUND, local_instance_with_fakes
from local_instance import LocalInstance
from saying import load_told, say, tail

SENDERS = 32
LINES = "".join(
    f"2026-11-24T10:15:{number:02}.120Z WARN checkout/payment retry: upstream timed out\n" for number in range(24)
)


@dataclass
class Answers:
    """`sessions`: of each sender, in the order of its answers."""

    statuses: Counter[int] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)
    sessions: list[list[str]] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alerts", type=int, default=10_000)
    parser.add_argument("--mode", choices=[*MODES], default="processes")
    parser.add_argument("--kind", choices=["distinct", "identical"], default="distinct")
    parser.add_argument("--max-pending", type=int, default=NO_BOUND)
    given = parser.parse_args()
    with load_told(), local_instance_with_fakes(given.mode, queue=f"max_pending: {given.max_pending}") as instance:
        uvloop.run(measure(instance, given))


async def measure(instance: LocalInstance, given: argparse.Namespace) -> None:
    before, began, memory = instance.cpu(), time.monotonic(), instance.memory_mb()
    peak = MemoryPeak(instance)
    watching = asyncio.create_task(peak.watch())
    answers = await flood(instance.url, given.alerts, given.kind)
    took = time.monotonic() - began
    say(
        f"{given.mode}, {given.kind}: {given.alerts} alerts accepted in {took:.1f} s; answers: {dict(answers.statuses)}"
    )
    say(f"an answer: {tail(answers.milliseconds)}")
    ids = {id for sender in answers.sessions for id in sender}
    shown = await asyncio.to_thread(until_shown, instance, len(ids))
    say(f"{len(ids)} sessions were named; the list shows {shown} after {time.monotonic() - began:.1f} s")
    show_cpu("until the list showed them", before, instance.cpu(), given.alerts)
    watching.cancel()
    after = peak.megabytes
    say(
        "memory at its peak, MB: "
        + ", ".join(f"{one} {memory.get(one, 0):.0f} -> {mb:.0f}" for one, mb in after.items())
    )
    missing = ids - await listed_ids(instance.url, len(ids))
    say(f"lost: {len(missing)}")


class MemoryPeak:
    """The most memory that each process had."""

    def __init__(self, instance: LocalInstance) -> None:
        self._instance = instance
        self.megabytes: dict[str, float] = {}

    async def watch(self) -> None:
        while True:
            for name, now in (await asyncio.to_thread(self._instance.memory_mb)).items():
                self.megabytes[name] = max(now, self.megabytes.get(name, 0.0))
            await asyncio.sleep(1.0)


async def flood(url: str, count: int, kind: str) -> Answers:
    answers, numbers = Answers(), iter(range(count))
    limits = httpx2.Limits(max_connections=SENDERS, max_keepalive_connections=SENDERS)
    async with httpx2.AsyncClient(limits=limits, timeout=60.0, trust_env=False) as client, asyncio.TaskGroup() as group:
        for _ in range(SENDERS):
            answers.sessions.append([])
            group.create_task(send(client, f"{url}/api/v1/alerts", numbers, kind, answers, answers.sessions[-1]))
    return answers


async def send(
    client: httpx2.AsyncClient, url: str, numbers: Iterator[int], kind: str, answers: Answers, mine: list[str]
) -> None:
    for number in numbers:
        name = number if kind == "distinct" else 0
        body = {"data": f"The pod checkout-{name} restarts.\n{LINES}"}
        while True:
            began = time.monotonic()
            answer = await client.post(url, json=body)
            answers.statuses[answer.status_code] += 1
            answers.milliseconds.append((time.monotonic() - began) * 1000)
            if answer.status_code not in (429, 503):
                break
            await asyncio.sleep(float(answer.headers["retry-after"]))
        if answer.status_code != 202:
            raise RuntimeError(f"answered {answer.status_code}: {answer.text}")
        mine.append(answer.json()["session_id"])


async def listed_ids(url: str, count: int) -> set[str]:
    found: set[str] = set()
    async with httpx2.AsyncClient(timeout=60.0, trust_env=False) as client:
        for page in range(1, count // 100 + 2):
            answer = await client.get(f"{url}/api/v1/sessions", params={"page": page, "page_size": 100})
            found |= {row["id"] for row in _rows(answer.json())}
    return found


def _rows(page: dict[str, Sequence[dict[str, str]]]) -> Sequence[dict[str, str]]:
    return page["sessions"]


if __name__ == "__main__":
    main()
