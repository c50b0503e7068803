"""An MCP server that breaks every rule when it is asked to: over stdio, or over streamable HTTP when it gets a port.

It speaks both eras, and is made of the standard library alone: so it starts in a moment, and nothing keeps it from
saying what no library would say. It notes what it runs in the file CALLS, and what its process is in PID beside it.
Its tools are those of the file TOOLS beside CALLS, one name a line, when it is there; with a file DEAD beside it, it
ends at once. DIES_AFTER: seconds after which a process ends; so end as many as DIES_TIMES says, one after the other.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from chaos.garbage import CONTENTS, NO_HTTP, STREAMS

CALLS = Path(os.environ.get("CALLS", "calls"))
MEGABYTE = b"x" * 1024 * 1024
LINE = "2026-11-22T12:00:00Z INFO {number:07} request served path=/api/v1/pods status=200 took=12ms\n"
PLAIN = ("echo", "slow", "destroy", "process_id", "block")
GARBAGE = (*CONTENTS, *STREAMS, *NO_HTTP)
DISCOVERED = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
MODERN = {"resultType": "complete", "cacheScope": "private", "ttlMs": 0}
INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {"name": "hostile", "version": "6.6.6"},
    "capabilities": {"tools": {}},
}

type Answer = dict[str, Any]


class Wire(Protocol):
    """`garbage`: what goes out in the place of the right answer."""

    def say(self, answer: bytes) -> None: ...
    def garbage(self, kind: str, answer: bytes) -> None: ...


def note(line: str) -> None:
    with CALLS.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def block(megabytes: float) -> str:
    """Lines, all different, so that no part can stand for another."""
    count = int(megabytes * 1024 * 1024) // len(LINE.format(number=0)) + 1
    return "".join(LINE.format(number=number) for number in range(count))


def names() -> list[str]:
    file = CALLS.with_name("TOOLS")
    return file.read_text("utf-8").splitlines() if file.exists() else [*PLAIN, *GARBAGE]


async def pause(seconds: float) -> None:
    """Shorter, once a test has put the file GO beside CALLS."""
    clock, go = asyncio.get_running_loop().time, CALLS.with_name("GO")
    end = clock() + seconds
    while clock() < end and not go.exists():  # noqa: ASYNC110 - a file tells nobody
        await asyncio.sleep(min(0.02, max(0.0, end - clock())))


async def run(tool: str, given: Answer) -> str:
    match tool:
        case "echo":
            note(f"echo {given['text']}")
            return str(given["text"])
        case "slow":
            note(f"slow {given.get('name', '')} begins")
            await pause(given["seconds"])
            return "at last"
        case "destroy":
            note(f"destroy {given['name']}")
            await pause(given.get("seconds", 0))
            return f"{given['name']} is gone"
        case "process_id":
            return str(os.getpid())
        case "block":
            return block(given["megabytes"])
        case _:
            note(f"{tool} {given.get('name', '')}".strip())
            return tool


async def answer(message: Answer, wire: Wire) -> None:
    id, params = message["id"], message.get("params") or {}
    match message["method"]:
        case "initialize":
            wire.say(reply(id, INITIALIZED))
        case "server/discover":
            wire.say(reply(id, {**DISCOVERED, **MODERN}))
        case "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names()]
            wire.say(reply(id, {"tools": tools, **MODERN}))
        case "tools/call":
            tool = params["name"]
            text = await run(tool, params.get("arguments") or {})
            right = reply(id, {"content": [{"type": "text", "text": text}], "resultType": "complete"})
            if tool in GARBAGE:
                wire.garbage(tool, right)
            else:
                wire.say(right)
        case _:
            error = {"code": -32601, "message": "what is that?"}
            wire.say(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}).encode())


def reply(id: Any, result: Answer) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()


class Stdio:
    def say(self, answer: bytes) -> None:
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()

    def garbage(self, kind: str, answer: bytes) -> None:
        if kind == "endless":
            pour(self._pour)
        else:
            self.say(CONTENTS[kind](answer).replace(b"\n", b" "))

    def _pour(self, some: bytes) -> None:
        sys.stdout.buffer.write(some)


class Http:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer

    def say(self, answer: bytes) -> None:
        self._whole(answer, "application/json")

    def garbage(self, kind: str, answer: bytes) -> None:
        if kind == "endless":
            self._head("application/json", "transfer-encoding: chunked")
            asyncio.get_running_loop().create_task(self._pour())
        elif kind in STREAMS:
            self._head("text/event-stream", "connection: close")
            self.writer.write(STREAMS[kind](answer))
            if kind.endswith("_cut"):
                self.writer.close()
        elif kind in NO_HTTP:
            self.writer.write(NO_HTTP[kind](answer))
            self.writer.close()
        else:
            self._whole(CONTENTS[kind](answer), "text/html" if kind == "html" else "application/json")

    async def _pour(self) -> None:
        try:
            while True:
                self.writer.write(b"%x\r\n%s\r\n" % (len(MEGABYTE), MEGABYTE))
                await self.writer.drain()
        except ConnectionError:
            note("endless ends")

    def _head(self, kind: str, more: str) -> None:
        self.writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{more}\r\n\r\n".encode())

    def _whole(self, content: bytes, kind: str) -> None:
        self._head(kind, f"content-length: {len(content)}")
        self.writer.write(content)


def pour(write: Callable[[bytes], object]) -> None:
    """For ever. It holds up everything else of this process, as a program that prints without end does."""
    try:
        while True:
            write(MEGABYTE)
    except (BrokenPipeError, KeyboardInterrupt):
        note("endless ends")
        os._exit(0)


async def serve_stdio() -> None:
    reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    wire = Stdio()
    async with asyncio.TaskGroup() as tasks:
        while line := await reader.readline():
            message = json.loads(line)
            if "id" in message and "method" in message:
                tasks.create_task(answer(message, wire))
    os._exit(0)


async def serve_http(port: int) -> None:
    server = await asyncio.start_server(converse, "127.0.0.1", port)
    await server.serve_forever()


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, *lines = head.decode("latin-1").lower().split("\r\n")
            length = next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)
            body = await reader.readexactly(length)
            message = json.loads(body) if body else {}
            if not first.startswith("post"):
                writer.write(b"HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n")
            elif "id" in message and "method" in message:
                await answer(message, Http(writer))
            else:
                writer.write(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def mortal() -> float | None:
    """After how many seconds this process dies."""
    after = os.environ.get("DIES_AFTER")
    if after is None:
        return None
    born = sum(line.startswith("starts ") for line in CALLS.read_text("utf-8").splitlines())
    return float(after) if born <= int(os.environ["DIES_TIMES"]) else None


async def main() -> None:
    note(f"starts {time.time()}")
    if CALLS.with_name("DEAD").exists():
        sys.exit(1)
    CALLS.with_name("PID").write_text(str(os.getpid()), "utf-8")
    seconds = mortal()
    if seconds is not None:
        asyncio.get_running_loop().call_later(seconds, os._exit, 1)
    await (serve_http(int(sys.argv[1])) if len(sys.argv) > 1 else serve_stdio())


if __name__ == "__main__":
    asyncio.run(main())
