"""A model that speaks OpenAI's streamed chat completions: `python benchmarks/model_server.py PORT SECONDS TURNS NOTES`.

It asks for one tool in each of its first TURNS answers, says so first, and then concludes. SECONDS is how long an
answer takes: the first words come after a tenth of it, the last ones at its end; who is offered no tools (for an
executive summary) is answered at once. In the file NOTES (none for "-") it notes when it was asked, when an answer had
ended, and by the alert of which number.
"""

import asyncio
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import TextIO

import uvloop
from http_door import Door, chunk, serve
from pydantic_core import to_json

TOOL = "bench__look"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
WORDS = ("I look at page {turn} of the pods of the ", "service first, and then at ", "what its last release changed.\n")
CONCLUSION = ("The last release asks for more memory ", "than the limit of the namespace allows. ", "Raise it.\n")
SAID_FIRST = 2
"""So many chunks come early; the others at the end."""
NUMBER = re.compile(rb"pod checkout-(\d+) ")


def main() -> None:
    port, seconds, turns, notes = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    if notes == "-":
        uvloop.run(serve(partial(answer, seconds, turns, None), port))
        return
    with Path(notes).open("w", encoding="utf-8", buffering=1) as file:
        uvloop.run(serve(partial(answer, seconds, turns, file), port))


def answer(seconds: float, turns: int, notes: TextIO | None, door: Door, body: bytes) -> None:
    number = noted(notes, "asked", NUMBER.search(body)) if notes is not None else ""
    turn, investigates = body.count(b'"role":"tool"'), b'"tools":[' in body
    chunks = _chunks(turn, asks=investigates and turn < turns)
    early, late = b"".join(chunks[:SAID_FIRST]), b"".join(chunks[SAID_FIRST:]) + END

    def end(data: bytes) -> None:
        door.write(data)
        if notes is not None:
            notes.write(f"answered {number} {time.time()}\n")

    if seconds == 0 or not investigates:
        end(HEAD + early + late)
        return
    loop = asyncio.get_running_loop()
    loop.call_later(seconds / 10, door.write, HEAD + early)
    loop.call_later(seconds, end, late)


def noted(notes: TextIO, what: str, found: re.Match[bytes] | None) -> str:
    number = found[1].decode() if found is not None else "-"
    notes.write(f"{what} {number} {time.time()}\n")
    return number


def _chunks(turn: int, *, asks: bool) -> list[bytes]:
    said = [event({"delta": {"content": text.format(turn=turn)}}) for text in (WORDS if asks else CONCLUSION)]
    if asks:
        call = {"index": 0, "id": f"call_{turn}", "function": {"name": TOOL, "arguments": f'{{"what":"pods {turn}"}}'}}
        said.append(event({"delta": {"tool_calls": [call]}}))
    said.append(event({"delta": {}, "finish_reason": "tool_calls" if asks else "stop"}))
    return [*said, USAGE, DONE]


def event(choice: dict[str, object]) -> bytes:
    body = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [choice]}
    return chunk(b"data: " + to_json(body) + b"\n\n")


USAGE = chunk(
    b"data: "
    + to_json(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "model": "bench",
            "choices": [],
            "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
        }
    )
    + b"\n\n"
)
DONE = chunk(b"data: [DONE]\n\n")


if __name__ == "__main__":
    main()
