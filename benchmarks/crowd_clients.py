"""Live clients in processes of their own, and what they found together."""

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from clients_process import Found, Plan
from saying import say, tail

BEGIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WatchingClients:
    """All are connected, and subscribe when they are told to."""

    processes: Sequence[subprocess.Popen[bytes]]

    async def found(self, at: float) -> list[Found]:
        """`at`: the time of the machine's clock at which they subscribe."""
        told = await asyncio.gather(*(asyncio.to_thread(_subscribed, one, at) for one in self.processes))
        return [Found(**json.loads(out)) for out in told]


@asynccontextmanager
async def watching(plans: Sequence[Plan]) -> AsyncIterator[WatchingClients]:
    processes = [_clients(plan) for plan in plans]
    for one in processes:
        assert one.stdout is not None
        await asyncio.to_thread(one.stdout.readline)
    yield WatchingClients(processes)


def split_plans(port: int, seconds: float, watched: Sequence[str], *, stalled: int, processes: int) -> list[Plan]:
    """The first of the processes has the clients that stall."""
    return [Plan(port, seconds, list(watched[one::processes]), stalled if one == 0 else 0) for one in range(processes)]


def tell_found(found: Sequence[Found], clients: int) -> None:
    confirmed = sorted(second for one in found for second in one.confirmed)
    if not confirmed:
        say(f"subscribed: 0 of {clients}")
        return
    say(f"subscribed: {len(confirmed)} of {clients}, half after {statistics.median(confirmed):.2f} s, "
        f"all after {confirmed[-1]:.2f} s")  # fmt: skip
    for name, values in (
        ("token to client", [milliseconds for one in found for milliseconds in one.late]),
        ("token to client, a second later", [milliseconds for one in found for milliseconds in one.settled]),
    ):
        say(f"{name}: {tail(values) if len(values) > 1 else 'none'}")
    shares = " and ".join(f"{one.cpu_seconds:.2f}" for one in found)
    messages, closed = sum(one.messages for one in found), sum(one.closed for one in found)
    say(f"{messages} messages, {closed} clients closed; CPU of clients {shares} s")


def _clients(plan: Plan) -> subprocess.Popen[bytes]:
    """Says when all are connected, is told when to subscribe, and prints what they found."""
    program = [sys.executable, str(Path(__file__).with_name("clients_process.py")), json.dumps(asdict(plan))]
    return subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _subscribed(process: subprocess.Popen[bytes], at: float) -> bytes:
    """What the clients found that subscribed at this time."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{at}\n".encode())
    process.stdin.flush()
    return process.stdout.read()
