"""From a token of the model to a client: `python benchmarks/token_latency.py [--seconds 10] [--clients 50]`.

20 sessions of 50 tokens a second, and clients over WebSocket that watch one each: tokens that are lines, words with a
blank behind them, words with a blank before them, and parts of code, of long words and of base64, whose word has to end
first. Prints p50 and p99, and the CPU of each process by the second.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvloop
from processes import Used, all_used
from saying import load_told, say, tail
from submitting import submit
from token_server import SESSIONS, SHAPES
from websockets.asyncio.client import connect
from whole_system import Plan, Whole, prepared, serving

from tarsy_processes.ports import free_port

RATE = 50.0
STAMP = re.compile(r"t(\d{6,})")
SETTLE_SECONDS = 3.0
GIVE_UP_SECONDS = 90
MEASURED = 0.6
"""The part of the time of streaming that is measured: sessions begin one after the other."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=50)
    given = parser.parse_args()
    plan = Plan(model_seconds=0.0, tool_seconds=0.0)
    with load_told(), prepared(plan) as whole, tokens(whole, given.seconds):
        uvloop.run(run(whole, plan, given.seconds, given.clients))


@contextmanager
def tokens(whole: Whole, seconds: float) -> Iterator[None]:
    """The model of the configuration is the one that streams tokens."""
    port = free_port()
    config = whole.system.config_dir / "tarsy.yaml"
    config.write_text(config.read_text().replace(whole.around.model_url, f"http://127.0.0.1:{port}/v1"))
    file = Path(__file__).with_name("token_server.py")
    process = subprocess.Popen([sys.executable, str(file), str(port), str(RATE), str(seconds)])
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


async def run(whole: Whole, plan: Plan, seconds: float, clients: int) -> None:
    async with serving(whole, plan):
        for number, kind in enumerate(SHAPES):
            ids = list((await submit(whole.system.of("ingest").url, SESSIONS, first=number * SESSIONS)).values())
            found: list[float] = []
            watching = [asyncio.create_task(watch(whole, ids[one % SESSIONS], found)) for one in range(clients)]
            await until_streaming(found)
            before, began = all_used(whole.processes()), time.monotonic()
            await asyncio.sleep(seconds * MEASURED)
            after, took = all_used(whole.processes()), time.monotonic() - began
            await asyncio.sleep(SETTLE_SECONDS)
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
            tell(kind, found, before, after, took)


async def until_streaming(found: list[float]) -> None:
    """Forgets the first tokens: sessions begin when the tools of their stage are known."""
    for _ in range(GIVE_UP_SECONDS):
        if found:
            break
        await asyncio.sleep(1.0)
    await asyncio.sleep(1.0)
    found.clear()


async def watch(whole: Whole, session_id: str, found: list[float]) -> None:
    """Milliseconds of each token, the first time that it comes."""
    seen: set[str] = set()
    url = whole.system.of("websocket-gateway").url.replace("http", "ws", 1)
    async with connect(f"{url}/api/v1/ws", max_size=None, compression=None) as socket:
        await socket.send(json.dumps({"action": "subscribe", "channel": f"session:{session_id}"}))
        async for text in socket:
            now = time.monotonic_ns() // 1000
            for stamp in STAMP.findall(str(text)):
                if stamp not in seen:
                    seen.add(stamp)
                    found.append((now - int(stamp)) / 1000)


def tell(kind: str, found: list[float], before: Mapping[str, Used], after: Mapping[str, Used], took: float) -> None:
    say(f"{kind}: {tail(found)}")
    used = {name: 100 * (one.cpu_seconds - before[name].cpu_seconds) / took for name, one in after.items()}
    say(f"  CPU: {', '.join(f'{name} {share:.0f} %' for name, share in used.items())}, all {sum(used.values()):.0f} %")


if __name__ == "__main__":
    main()
