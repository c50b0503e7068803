"""CPU of one request out of a queue: `python benchmarks/queue_consumers.py [--requests 20000] [--rounds 3]`.

`consume` of this code, and that of another file (`--other work_queue.py`), read the same queue of an embedded Kafka,
in turn, each time in a group of its own. Only the CPU of this process counts: fetching, parsing, decoding, commits.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from uuid import uuid4

import uvloop
from saying import load_told, say

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.connection import Bus
from tarsy_bus.publisher import Publisher
from tarsy_bus.topics_admin import apply_topics
from tarsy_bus.work_queue import consume
from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.topics import Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_processes.ports import free_port

AT_ONCE = 500

type Consume = Callable[..., Coroutine[object, object, None]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--other", type=Path, help="a work_queue.py of another commit")
    given = parser.parse_args()
    consumers: dict[str, Consume] = {"this": consume}
    if given.other is not None:
        consumers = {"other": consume_of(given.other), **consumers}
    with load_told(), tempfile.TemporaryDirectory() as folder:
        kafka = EmbeddedKafka(Path(folder), port=free_port(), cache_dir=default_cache_dir(), progress=lambda _: None)
        with kafka:
            uvloop.run(measure(kafka.bootstrap, consumers, given.requests, given.rounds))


def consume_of(file: Path) -> Consume:
    spec = spec_from_file_location("other_work_queue", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Consume = module.consume
    return found


async def measure(bootstrap: str, consumers: dict[str, Consume], requests: int, rounds: int) -> None:
    bus = Bus(bootstrap=bootstrap, topics=Topics(f"b{uuid4().hex[:8]}"), client="benchmark")
    await apply_topics(bus)
    async with Publisher(bus, source="benchmark", now=lambda: datetime.now(UTC)).running() as publisher:
        for first in range(0, requests, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, requests))
            await asyncio.gather(*(publish(publisher, str(number)) for number in numbers))
        spent: dict[str, list[float]] = {name: [] for name in consumers}
        for _ in range(rounds):
            for name, one in consumers.items():
                spent[name].append(await cpu_of(one, bus, publisher, requests) / requests * 1e6)
                say(f"{name}: {spent[name][-1]:.1f} us of CPU for one request")
    middle = {name: statistics.median(values) for name, values in spent.items()}
    for name, value in middle.items():
        say(f"{name}: median {value:.1f} us")
    if "other" in middle:
        say(f"this / other: {middle['this'] / middle['other']:.2f}, {middle['this'] - middle['other']:+.1f} us")


async def publish(publisher: Publisher, number: str) -> None:
    request = ToolCallRequest(
        session_id="s",
        call_id=number,
        server="kubernetes",
        tool="pods_list",
        arguments={"namespace": "default"},
        repeatable=True,
        timeout_seconds=60,
        not_after=datetime.now(UTC),
    )
    await publisher.publish(publisher.topics.tool_calls, request, key=number, id=number, subject="s")


async def cpu_of(one: Consume, bus: Bus, publisher: Publisher, requests: int) -> float:
    """From the first request to the last, in CPU seconds."""
    left, began, ended = requests, 0.0, 0.0
    done = asyncio.Event()

    async def handler(_: ToolCallRequest) -> None:
        nonlocal left, began, ended
        began = began or time.process_time()
        left -= 1
        if left == 0:
            ended = time.process_time()
            done.set()

    taking = one(
        bus, publisher, topic=bus.topics.tool_calls, group=f"g{uuid4().hex}", kind=ToolCallRequest, handler=handler
    )
    async with asyncio.timeout(120), background_tasks(taking):
        await done.wait()
    return ended - began


if __name__ == "__main__":
    main()
