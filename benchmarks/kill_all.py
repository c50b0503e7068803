"""How long sessions stand still when everything dies: `python benchmarks/kill_all.py [--processes] [--sessions 200]`.

`tarsy up` with live sessions. All its processes, with Kafka and PostgreSQL, are killed with `kill -9` at once, and it
is started again. Timed, for every session that had not ended: from the new start until the model is asked next.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx2
import uvloop
from idle import READY, ROOT, family
from outside import Outside, outside
from saying import load_told, say
from submitting import submit
from whole_system import AT_ONCE, CONFIG, LEAST_ITERATIONS

from tarsy_processes.ports import free_port

MODEL_SECONDS, TOOL_SECONDS, TURNS = 2.0, 1.0, 20
LIVE_SECONDS = 15.0
GIVE_UP_SECONDS = 300.0
PAUSE_SECONDS = 0.25


class Instance:
    """A `tarsy up` on one home, which can be killed with all that it started."""

    def __init__(self, folder: Path, more: Sequence[str]) -> None:
        self._folder = folder
        self._ports = {name: free_port() for name in ("http", "kafka", "database")}
        self._more = more
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._ports['http']}"

    @property
    def output(self) -> Path:
        return self._folder / "up.log"

    def start(self) -> None:
        ports = [f"--{name}-port={port}" for name, port in self._ports.items()]
        home, config = self._folder / "home", self._folder / "config"
        with self.output.open("wb") as written:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tarsy_cli", "up", f"--home={home}", f"--config={config}", *ports, *self._more],
                cwd=ROOT, stdout=written, stderr=written, env={**os.environ, "TARSY_LLM_CALLS_AT_ONCE": str(AT_ONCE)},
            )  # fmt: skip

    def wait_until_ready(self) -> None:
        limit = time.monotonic() + GIVE_UP_SECONDS
        while not re.search(READY, self.output.read_text("utf-8")):
            if time.monotonic() > limit:
                sys.exit(f"not ready: {self.output.read_text('utf-8')}")
            time.sleep(0.05)

    def kill(self) -> None:
        assert self._process is not None
        # The parent first: it would start again what it sees ending.
        for pid in list(family(self._process.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--sessions", type=int, default=200)
    given = parser.parse_args()
    more = ["--processes"] if given.processes else []
    with (
        load_told(),
        tempfile.TemporaryDirectory(prefix="tarsy-kill-", ignore_cleanup_errors=True) as name,
        outside(model_seconds=MODEL_SECONDS, tool_seconds=TOOL_SECONDS, turns=TURNS, noting=True) as around,
    ):
        folder = Path(name)
        (folder / "config").mkdir()
        limit = f"queue: {{max_concurrent_sessions: {AT_ONCE}}}\n"
        (folder / "config" / "tarsy.yaml").write_text(
            CONFIG.format(
                model_url=around.model_url,
                tools_url=around.tools_url,
                at_once=AT_ONCE,
                most_iterations=LEAST_ITERATIONS,
                more=limit,
            )
        )
        instance = Instance(folder, more)
        try:
            measure(instance, around, given.sessions)
        finally:
            instance.stop()


def measure(instance: Instance, around: Outside, sessions: int) -> None:
    instance.start()
    instance.wait_until_ready()
    ids = uvloop.run(submit(instance.url, sessions))
    time.sleep(LIVE_SECONDS)
    ended = uvloop.run(states(instance.url)).count("completed")
    instance.kill()
    began = time.time()
    instance.start()
    instance.wait_until_ready()
    say(f"ready {time.time() - began:.1f} s after the start; {len(ids) - ended} of {len(ids)} sessions were live")
    limit = time.monotonic() + GIVE_UP_SECONDS
    while (done := uvloop.run(states(instance.url))).count("completed") < sessions and time.monotonic() < limit:
        time.sleep(PAUSE_SECONDS)
    first: dict[int, float] = {}
    for note in around.notes():
        if note.at > began:
            first[note.number] = min(first.get(note.number, note.at), note.at)
    found = statistics.quantiles([at - began for at in first.values()], n=100)
    say(
        f"next question after p50 {found[49]:.1f} s, p99 {found[98]:.1f} s ({len(first)} sessions); "
        f"{done.count('completed')} of {sessions} completed"
    )


async def states(url: str) -> list[str]:
    """The status of each session."""
    found: list[str] = []
    async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
        for page in range(1, 100):
            answer = (await client.get(f"{url}/api/v1/sessions", params={"page": page, "page_size": 100})).json()
            found += [session["status"] for session in answer["sessions"]]
            if len(answer["sessions"]) < 100:
                break
    return found


if __name__ == "__main__":
    main()
