"""A crowd on sessions that stream: `python benchmarks/crowd.py --mode one|processes --sessions 100 --clients 300`.

`tarsy up` as people start it, with its own Kafka and PostgreSQL, and a model that streams `--rate` tokens a second in
each session. The streams have run for `--running` seconds when the clients come, all at once, through the one port of
the instance. It prints when all were subscribed, the time from a token of the model to a client, and the CPU of each
process: before the clients come, and while they watch. A yardstick of the same run stands beside.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import uvloop
from crowd_clients import BEGIN_SECONDS, split_plans, tell_found, watching
from instance_with_fakes import MODES, local_instance_with_fakes
from local_instance import LocalInstance
from saying import load_told, say
from submitting import submit
from whole_system import AT_ONCE

from tarsy_processes.ports import free_port

WAIT_SECONDS, GIVE_UP_SECONDS = 2.0, 120.0
ENDLESS_SECONDS = 600.0
LOOK_SECONDS = 0.5
STEPS = 2_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=[*MODES], default="one")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--clients", type=int, default=300)
    parser.add_argument("--stalled", type=int, default=0)
    parser.add_argument("--rate", type=float, default=50.0, help="tokens a second of each session")
    parser.add_argument("--running", type=float, default=30.0, help="seconds before clients come")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--shape", default="sparse", help="how tokens look, as token_server has it")
    parser.add_argument("--spy", default="", help="py-spy's program: records each process of ours into files")
    given = parser.parse_args()
    with (
        load_told(),
        token_server(given.rate, given.shape) as model_url,
        local_instance_with_fakes(
            given.mode, model_url=model_url, calls_at_once=AT_ONCE, queue=f"max_concurrent_sessions: {AT_ONCE}"
        ) as instance,
    ):
        uvloop.run(measure(instance, given))


@contextmanager
def token_server(rate: float, shape: str) -> Iterator[str]:
    """Its address. Streams end long after the benchmark."""
    port, file = free_port(), Path(__file__).with_name("token_server.py")
    arguments = [str(port), str(rate), str(ENDLESS_SECONDS), str(WAIT_SECONDS), shape]
    process = subprocess.Popen([sys.executable, str(file), *arguments])
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(10)


async def measure(instance: LocalInstance, given: argparse.Namespace) -> None:
    began = time.process_time()
    sum(range(STEPS))
    say(f"yardstick: a loop of {STEPS:,} steps {1000 * (time.process_time() - began):.0f} ms")
    ids = list((await submit(instance.url, given.sessions)).values())
    await until_running(instance, given.sessions)
    before = instance.cpu()
    await asyncio.sleep(given.running)
    tell_cpu("before they come", before, instance.cpu(), given.running)
    watched = [ids[place % len(ids)] for place in range(given.clients)]
    port = int(instance.url.rpartition(":")[2])
    async with watching(split_plans(port, given.seconds, watched, stalled=given.stalled, processes=2)) as clients:
        before, began = instance.cpu(), time.monotonic()
        spies = [spy_on(given.spy, name, pid, given.seconds) for name in before for pid in instance.pids(name)]
        found = await clients.found(time.monotonic() + BEGIN_SECONDS)
        after, took = instance.cpu(), time.monotonic() - began
    for one in filter(None, spies):
        one.wait()
    say(f"{given.mode}: {given.sessions} sessions x {given.rate:g} tokens/s, {given.clients} clients, "
        f"{given.stalled} stalled")  # fmt: skip
    tell_found(found, given.clients)
    tell_cpu("while they watch", before, after, took)


async def until_running(instance: LocalInstance, sessions: int) -> None:
    """All of them investigate, and their models stream."""
    limit = time.monotonic() + GIVE_UP_SECONDS
    async with httpx2.AsyncClient(base_url=instance.url, trust_env=False, timeout=60.0) as client:
        while time.monotonic() < limit:
            answer = await client.get("/api/v1/sessions", params={"status": "in_progress", "page_size": 1})
            if answer.json()["pagination"]["total_items"] >= sessions:
                break
            await asyncio.sleep(LOOK_SECONDS)
    await asyncio.sleep(WAIT_SECONDS + 1)


def spy_on(program: str, name: str, pid: int, seconds: float) -> "subprocess.Popen[bytes] | None":
    if not program or name in ("Kafka", "PostgreSQL", "other"):
        return None
    command = [program, "record", "-p", str(pid), "-d", f"{seconds:.0f}", "-r", "200", "-f", "raw"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([*command, "-o", f"/tmp/spy-{name}.txt"], stdout=quiet, stderr=quiet)


def tell_cpu(when: str, before: dict[str, float], after: dict[str, float], seconds: float) -> None:
    used = {name: 100 * (cpu - before.get(name, 0.0)) / seconds for name, cpu in after.items()}
    shares = ", ".join(f"{name} {share:.0f} %" for name, share in sorted(used.items(), key=lambda one: -one[1]))
    say(f"CPU {when}: {shares}; all {sum(used.values()):.0f} %")


if __name__ == "__main__":
    main()
