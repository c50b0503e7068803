"""A model that streams tokens with the time in each: `python benchmarks/token_server.py PORT TOKENS_A_SECOND SECONDS`.

The alert's number says how tokens look: of every three rounds of SESSIONS the first has lines, the second words with a
blank behind them, the third words with a blank before them. The clock is the machine's (CLOCK_MONOTONIC).
"""

import asyncio
import re
import sys
import time
from functools import partial

import uvloop
from http_door import Door, serve
from model_server import DONE, END, HEAD, USAGE, event

SESSIONS = 20
SHAPES = ("a {}\n", "a {} ", " a {}")
NUMBER = re.compile(rb"pod checkout-(\d+) ")
WAIT_SECONDS = 4.0
"""Until the first token: clients subscribe meanwhile."""


def main() -> None:
    port, rate, seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    uvloop.run(serve(partial(answer, rate, seconds), port))


def answer(rate: float, seconds: float, door: Door, body: bytes) -> None:
    found = NUMBER.search(body)
    end = event({"delta": {}, "finish_reason": "stop"}) + USAGE + DONE + END
    if found is None or b'"tools":[' not in body:
        door.write(HEAD + event({"delta": {"content": "It restarts.\n"}}) + end)
        return
    number, loop = int(found[1]), asyncio.get_running_loop()
    shape = SHAPES[number // SESSIONS % len(SHAPES)]
    began = loop.time() + WAIT_SECONDS + (number % SESSIONS) / SESSIONS / rate
    door.write(HEAD)

    def write_token(count: int) -> None:
        if count >= rate * seconds:
            door.write(end)
            return
        door.write(event({"delta": {"content": shape.format(f"t{time.monotonic_ns() // 1000}")}}))
        loop.call_at(began + (count + 1) / rate, write_token, count + 1)

    loop.call_at(began, write_token, 0)


if __name__ == "__main__":
    main()
