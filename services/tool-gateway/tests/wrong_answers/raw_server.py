"""MCP server that speaks raw JSON-RPC, and answers as `kinds` says: `stdio`, or over HTTP with a port.

`json` and `events` are streamable HTTP, `legacy` is the transport of the first servers. It notes what it ran in CALLS.
FLOOD: `tools`, `schema`, `notifications` or `line` is what it has too much of.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, Protocol

from wrong_answers.kinds import KINDS, text

CALLS = Path(os.environ["CALLS"])
INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {"name": "raw", "version": "1"},
    "capabilities": {"tools": {}},
}
NO_CONTENT = b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"
REFUSED = b"HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
GARBAGE_LINES = 100_000
FLOOD = os.environ.get("FLOOD", "")
MANY_TOOLS = 100_000
HUGE_BYTES = 30 * 1024 * 1024
NOTIFICATION = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}' % (
    b"x" * 1000
)
ENDLESS = {"line": b"x" * 65536, "notifications": b"%s\n" % NOTIFICATION}


class Wire(Protocol):
    def say(self, message: bytes) -> None: ...
    def pour(self, some: bytes) -> None: ...


def note(line: str) -> None:
    with CALLS.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def deep(levels: int) -> bytes:
    return b'{"type":"object","properties":{"inner":' * levels + b"{}" + b"}}" * levels


def tools() -> bytes:
    if FLOOD == "schema":
        described = b'{"type":"object","properties":{%s"z":{}}}' % b"".join(
            b'"p%07d":{},' % n for n in range(5_000_000)
        )
        return b'{"tools":[{"name":"huge_schema","inputSchema":%s}]}' % described
    many = [f"tool{number}" for number in range(MANY_TOOLS)] if FLOOD == "tools" else []
    names = ("right", "held", "garbage", "huge", *many, *KINDS)
    sound = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    wrong = b'{"name":"too_deep","inputSchema":%s},' % deep(int(os.environ["DEEP"])) if "DEEP" in os.environ else b""
    return b'{"tools":[' + wrong + json.dumps(sound).encode()[1:] + b"}"


def right(id: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()


async def answer(message: dict[str, Any], wire: Wire) -> None:
    id, params = message["id"], message.get("params") or {}
    match message["method"]:
        case "initialize":
            wire.say(right(id, INITIALIZED))
        case "tools/list":
            note("tools/list")
            if FLOOD in ENDLESS:
                await pour(wire, ENDLESS[FLOOD])
            wire.say(b'{"jsonrpc":"2.0","id":%d,"result":%s}' % (id, tools()))
        case "tools/call":
            note(params["name"])
            await run(id, params["name"], wire)
        case _:
            wire.say(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "?"}}).encode())


async def pour(wire: Wire, some: bytes) -> None:
    """For ever. A wire is asked to write no line's end of its own."""
    while True:
        wire.pour(some)
        await asyncio.sleep(0)


async def run(id: Any, tool: str, wire: Wire) -> None:
    if tool == "held":
        while not CALLS.with_name("GO").exists():  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0.02)
    elif tool == "garbage":
        for _ in range(GARBAGE_LINES):
            wire.say(b"DEBUG password: hunter2-very-secret")
    elif tool == "huge":
        wire.say(right(id, text("line of a log\n" * (HUGE_BYTES // 14))))
        return
    wire.say(KINDS[tool].spoil(id, "right") if tool in KINDS else right(id, text("right")))


class Stdio:
    def say(self, message: bytes) -> None:
        sys.stdout.buffer.write(message + b"\n")
        sys.stdout.buffer.flush()

    def pour(self, some: bytes) -> None:
        sys.stdout.buffer.write(some)


class Json:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer

    def pour(self, some: bytes) -> None:
        raise ConnectionError("an answer in JSON has an end")

    def say(self, message: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(message)}\r\n\r\n"
        self.writer.write(head.encode() + message)


class Events:
    """Without the head of the response."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer

    def say(self, message: bytes) -> None:
        self.writer.write(b"event: message\ndata: " + message + b"\n\n")

    def pour(self, some: bytes) -> None:
        self.writer.write(b"data: " + some + (b"\n" if some.endswith(b"\n") else b""))


async def serve_stdio() -> None:
    reader = asyncio.StreamReader(limit=1024 * 1024)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with asyncio.TaskGroup() as tasks:
        while line := await reader.readline():
            message = json.loads(line)
            if "id" in message and "method" in message:
                tasks.create_task(answer(message, Stdio()))
    os._exit(0)


class Http:
    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.streams: list[asyncio.StreamWriter] = []

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").lower().split("\r\n")
                length = next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)
                body = await reader.readexactly(length)
                await self.respond(first, json.loads(body) if body else {}, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def respond(self, first: str, message: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        asked = "id" in message and "method" in message
        if first.startswith("get") and self.mode == "legacy":
            self.streams.append(writer)
            writer.write(STREAM + b"event: endpoint\ndata: /mcp\n\n")
        elif not first.startswith("post"):
            writer.write(REFUSED)
        elif not asked or self.mode == "legacy":
            writer.write(NO_CONTENT)
            if asked:
                asyncio.get_running_loop().create_task(answer(message, Events(self.streams[-1])))
        elif self.mode == "json":
            await answer(message, Json(writer))
        else:
            writer.write(STREAM.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
            await answer(message, Events(writer))
            raise ConnectionError("its one stream is over")


async def main(mode: str, port: int) -> None:
    if mode == "stdio":
        await serve_stdio()
        return
    server = await asyncio.start_server(Http(mode).converse, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(os.environ["MODE"], int(sys.argv[1]) if len(sys.argv) > 1 else 0))
