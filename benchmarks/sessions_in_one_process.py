"""Many sessions at once in one process: `python benchmarks/sessions_in_one_process.py [--sessions 1000]`.

`tarsy up` as people start it, with its own Kafka and PostgreSQL, and the sessions of sessions_at_once.py: a model that
takes 2 s for an answer, a tool that takes 1 s, 14 s when alone.
"""

import argparse
import asyncio
import os
import time

import httpx2
from instance_with_fakes import local_instance_with_fakes
from local_instance import LocalInstance
from saying import load_told, say
from sessions_at_once import ALONE_SECONDS, GIVE_UP_SECONDS, MODEL_SECONDS, TOOL_SECONDS
from submitting import submit
from whole_system import AT_ONCE

from tarsy_soak.observation import held_above

LOOK_SECONDS = 0.2
SETTLE_SECONDS = 3.0
HELD_SECONDS = ("0.05", "0.1", "0.25")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=1_000)
    given = parser.parse_args()
    os.environ.setdefault("TARSY_LLM_CALLS_AT_ONCE", str(AT_ONCE))
    with (
        load_told(),
        local_instance_with_fakes(
            "one",
            model_seconds=MODEL_SECONDS,
            tool_seconds=TOOL_SECONDS,
            calls_at_once=AT_ONCE,
            queue=f"max_concurrent_sessions: {AT_ONCE}",
        ) as instance,
    ):
        measure(instance, given.sessions)


def measure(instance: LocalInstance, sessions: int) -> None:
    time.sleep(SETTLE_SECONDS)
    before, start = instance.cpu(), time.monotonic()
    asyncio.run(submit(instance.url, sessions))
    say(f"{sessions} alerts taken in after {time.monotonic() - start:.1f} s")
    completed = until_completed(instance, sessions)
    took = time.monotonic() - start
    say(f"the API shows {completed} of {sessions} sessions completed after {took:.1f} s (alone: {ALONE_SECONDS:g} s)")
    spent = {name: cpu - before.get(name, 0.0) for name, cpu in instance.cpu().items()}
    for name, seconds in sorted(spent.items(), key=lambda one: -one[1]):
        say(f"{name:12} {seconds:6.1f} s of CPU")
    say(f"{'all':12} {sum(spent.values()):6.1f} s of CPU")
    say("memory, MB: " + ", ".join(f"{name} {mb:.0f}" for name, mb in instance.memory_mb().items()))
    page = httpx2.get(f"{instance.url}/metrics", timeout=30.0, trust_env=False).text
    held = ", ".join(f"{held_above(page, limit):.0f} times for more than {limit} s" for limit in HELD_SECONDS)
    say(f"it held its event loop {held}")


def until_completed(instance: LocalInstance, sessions: int) -> int:
    """How many have completed, once all have or the time for it is over."""
    limit = time.monotonic() + GIVE_UP_SECONDS
    while (completed := count_completed(instance)) < sessions and time.monotonic() < limit:
        time.sleep(LOOK_SECONDS)
    return completed


def count_completed(instance: LocalInstance) -> int:
    answer = httpx2.get(
        f"{instance.url}/api/v1/sessions",
        params={"status": "completed", "page_size": 1},
        timeout=60.0,
        trust_env=False,
    )
    return int(answer.json()["pagination"]["total_items"])


if __name__ == "__main__":
    main()
