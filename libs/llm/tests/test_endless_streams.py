"""Models that send as fast as they can, without an end: what that costs everybody else of the event loop."""

import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from asking import KEY, failure_of, request
from dialects import DIALECTS, Dialect
from pydantic import SecretStr

from tarsy_llm.http import answer_budget
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import LlmCallError
from tarsy_llm.timeouts import LimitedLlm, StreamLimits

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
MOST_BYTES = 500_000
"""A quarter of what is allowed, and more than there is of an answer at once."""
LONGEST_SECONDS = 0.1
"""No turn may use more of the processor. What other processes use does not count, so a busy machine changes nothing."""
LIMITS = StreamLimits(first_chunk_seconds=120.0, stall_seconds=120.0)


SERVER = """
import socket, sys
head, first, unit = map(bytes.fromhex, sys.argv[1:])
with socket.create_server(("127.0.0.1", 0)) as listening:
    print(listening.getsockname()[1], flush=True)
    while True:
        with listening.accept()[0] as connection:
            print("asked", flush=True)
            connection.recv(65536)
            try:
                connection.sendall(head + first)
                while True:
                    connection.sendall(unit * (65536 // len(unit)))
            except OSError:
                pass
"""


@contextmanager
def endless(first: bytes, unit: bytes) -> Iterator[tuple[int, Callable[[], int]]]:
    """A server that never pauses, in a process of its own: its port, and how often it was asked once it has ended."""
    arguments = [HEAD.hex(), first.hex(), unit.hex()]
    with subprocess.Popen([sys.executable, "-ISc", SERVER, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout

        def count() -> int:
            process.kill()
            return output.read().count("asked")

        try:
            yield int(output.readline()), count
        finally:
            process.kill()


class Lateness:
    """A task that often wants a turn, and how long the thread worked before it had one."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            self.longest, last = max(self.longest, now - last), now


def shapes(dialect: Dialect) -> dict[str, tuple[bytes, bytes]]:
    """The first bytes of an answer, and those that follow without an end."""
    parts = {"text": dialect.text, "thoughts": dialect.thought, "arguments": dialect.arguments}
    noise = {name: (first or dialect.text, unit) for name, first, unit in dialect.noise}
    return {**{name: (b"", unit) for name, unit in parts.items()}, **noise}


CASES = [(name, shape) for name, dialect in DIALECTS.items() for shape in shapes(dialect)]


async def held_by(name: str, shape: str) -> tuple[float, LlmCallError, int]:
    """The longest turn of one call, how it ended, and how often the model was asked."""
    dialect = DIALECTS[name]
    with endless(*shapes(dialect)[shape]) as (port, count):
        url = f"http://127.0.0.1:{port}{dialect.path}"
        settings = ModelSettings(model=dialect.model, api_key=SecretStr(KEY), base_url=url)
        llm = LimitedLlm(dialect.adapter(settings), LIMITS)
        lateness = Lateness()
        watching = asyncio.create_task(lateness.watch())
        try:
            error = await failure_of(llm, request())
        finally:
            watching.cancel()
            await asyncio.wait([watching])
            await llm.aclose()
        asked = count()
    return lateness.longest, error, asked


@pytest.fixture(autouse=True)
def a_small_budget_and_no_garbage(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(answer_budget, "MOST_BYTES", MOST_BYTES)
    gc.disable()
    yield
    gc.enable()


@pytest.mark.timing
@pytest.mark.parametrize(("name", "shape"), CASES)
async def test_an_endless_answer_ends_once_and_keeps_nobody_from_the_loop(name: str, shape: str) -> None:
    longest, error, asked = await held_by(name, shape)
    assert (error.kind, asked) == ("answer_too_long", 1)
    assert longest < LONGEST_SECONDS
