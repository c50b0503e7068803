"""Alerts accepted over HTTP: `python benchmarks/accepting.py [--seconds 60] [--mode processes|one] [--kind distinct]`.

`tarsy up` with an instant model and an instant tool, and wrk with 32 connections that posts alerts of 2 kB to its one
port. CPU is counted by process, while alerts are accepted and until the list shows all of them.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx2
from instance_with_fakes import MODES, local_instance_with_fakes
from local_instance import LocalInstance
from pydantic import BaseModel
from saying import load_told, say

HERE = Path(__file__).resolve().parent
SHOWN_SECONDS = 900.0
WARM_SECONDS = 3.0
LOOK_SECONDS = 0.5
ACCEPTING = ("up", "ingest", "Kafka")
"""Processes that an alert costs until it is accepted; in one process `up` is all of the services."""


class Result(BaseModel):
    """Figures of one run of wrk: milliseconds, and requests that were refused or broken off."""

    requests: int
    seconds: float
    refused: int
    broken: int
    p50: float
    p99: float
    worst: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--mode", choices=[*MODES], default="processes")
    parser.add_argument("--kind", choices=["distinct", "identical"], default="distinct")
    parser.add_argument("--unwatched", action="store_true", help="do not wait until the list shows all of them")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is missing: apt-get install wrk")
    with load_told(), local_instance_with_fakes(given.mode) as instance:
        measure(instance, given)


def measure(instance: LocalInstance, given: argparse.Namespace) -> None:
    post(instance, WARM_SECONDS, given.connections, given.kind, "warm")
    shown_before, before = until_still(instance), instance.cpu()
    result = post(instance, given.seconds, given.connections, given.kind, "run")
    accepted_at, middle = time.monotonic(), instance.cpu()
    rate = result.requests / result.seconds
    say(f"{given.mode}, {given.kind}: {result.requests} alerts in {result.seconds:.1f} s, {rate:.0f}/s")
    say(f"p50 {result.p50:.1f} ms, p99 {result.p99:.1f} ms, worst {result.worst:.0f} ms")
    say(f"refused {result.refused}, broken off {result.broken}")
    show_cpu("while they were accepted", before, middle, result.requests)
    if given.unwatched:
        return
    want = shown_before + (result.requests if given.kind == "distinct" else 0)
    if (shown := until_shown(instance, want)) >= want:
        say(f"the list shows all of them {time.monotonic() - accepted_at:.1f} s after the last was accepted")
    else:
        say(f"the list shows {shown} of {want}")
    show_cpu("until the list showed them", before, instance.cpu(), result.requests)
    say("memory, MB: " + ", ".join(f"{name} {mb:.0f}" for name, mb in instance.memory_mb().items()))


def post(instance: LocalInstance, seconds: float, connections: int, kind: str, run: str) -> Result:
    url = f"{instance.url}/api/v1/alerts"
    run_id = f"{run}-{time.time_ns()}"
    limits = ["-t", "1", "-c", str(connections), "-d", f"{seconds:.0f}s", "--timeout", "30s"]
    script = [str(HERE / "post_alerts.lua"), url, "--", kind, run_id]
    done = subprocess.run(["wrk", *limits, "-s", *script], capture_output=True, text=True, check=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    return Result.model_validate(json.loads(line.removeprefix("RESULT ")))


def listed(instance: LocalInstance) -> int:
    """How many sessions the list has."""
    answer = httpx2.get(f"{instance.url}/api/v1/sessions", params={"page_size": 1}, timeout=30.0, trust_env=False)
    return int(answer.json()["pagination"]["total_items"])


def until_still(instance: LocalInstance) -> int:
    """The number of sessions once it stays the same for a while."""
    last, since = -1, time.monotonic()
    while time.monotonic() - since < 2.0:
        time.sleep(LOOK_SECONDS)
        if (now := listed(instance)) != last:
            last, since = now, time.monotonic()
    return last


def until_shown(instance: LocalInstance, want: int) -> int:
    limit = time.monotonic() + SHOWN_SECONDS
    while (shown := listed(instance)) < want and time.monotonic() < limit:
        time.sleep(LOOK_SECONDS)
    return shown


def show_cpu(when: str, before: Mapping[str, float], after: Mapping[str, float], alerts: int) -> None:
    spent = {name: 1000 * (cpu - before.get(name, 0.0)) / alerts for name, cpu in after.items()}
    parts = ", ".join(f"{name} {ms:.2f}" for name, ms in sorted(spent.items(), key=lambda one: -one[1]) if ms >= 0.005)
    accepting = sum(spent.get(name, 0.0) for name in ACCEPTING)
    say(f"CPU ms an alert {when}: {sum(spent.values()):.2f} ({parts}); {' + '.join(ACCEPTING)}: {accepting:.2f}")


if __name__ == "__main__":
    main()
