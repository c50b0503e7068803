"""A model that streams tokens, some with the time in them.

`python benchmarks/token_server.py PORT RATE SECONDS [WAIT [SHAPE]]`:
RATE tokens a second, after WAIT seconds, in which clients subscribe. The clock is the machine's (CLOCK_MONOTONIC).
Without a SHAPE the alert's number says how tokens look: each SESSIONS alerts have the next of SHAPES.
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
SHAPES = {
    "lines": ("a {}\n",),
    "words with a blank behind": ("a {} ",),
    "words with a blank before": (" a {}",),
    "code": ("    self", ".pods", "[", '"{}"', "]", ".restart", "(", "force", "=True", ")\n"),
    "long words": ("/var", "/lib/", "kubelet/", "{}", "-7d9f8", "b6c5d/", "checkout", ".log", " ", "is full\n"),
    "base64": ("Zm9v", "YmFy", "{}", "cXV4", "bm9k", "ZXMg", "YXJl", "IGZ1", "bGwu", "\n"),
    "sparse": ("{} ", "and ", "the ", "pod ", "restarts "),
}
"""Tokens in turn; `{}` is the time."""
NUMBER = re.compile(rb"pod checkout-(\d+) ")
WAIT_SECONDS = 4.0


def main() -> None:
    port, rate, seconds, *more = sys.argv[1:]
    wait, shape = (*more, *(str(WAIT_SECONDS), "")[len(more) :])
    uvloop.run(serve(partial(answer, float(rate), float(seconds), float(wait), shape), int(port)))


def answer(rate: float, seconds: float, wait: float, shape: str, door: Door, body: bytes) -> None:
    found = NUMBER.search(body)
    end = event({"delta": {}, "finish_reason": "stop"}) + USAGE + DONE + END
    if found is None or b'"tools":[' not in body:
        door.write(HEAD + event({"delta": {"content": "It restarts.\n"}}) + end)
        return
    number, loop = int(found[1]), asyncio.get_running_loop()
    tokens = SHAPES[shape or list(SHAPES)[number // SESSIONS % len(SHAPES)]]
    began = loop.time() + wait + (number % SESSIONS) / SESSIONS / rate
    door.write(HEAD)

    def write_token(count: int) -> None:
        if count >= rate * seconds:
            door.write(end)
            return
        text = tokens[count % len(tokens)].format(f"t{time.monotonic_ns() // 1000}")
        door.write(event({"delta": {"content": text}}))
        loop.call_at(began + (count + 1) / rate, write_token, count + 1)

    loop.call_at(began, write_token, 0)


if __name__ == "__main__":
    main()
