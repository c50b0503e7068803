"""An MCP server over streamable HTTP with one tool: `python benchmarks/tool_server.py PORT SECONDS [granted]`.

It speaks what the SDK's own server speaks (the protocol of 2026-07-28, answers as JSON), and costs a tenth of it. The
tool only reads, unless it is to be granted.
"""

import asyncio
import sys
from functools import partial

import uvloop
from http_door import Door, serve, whole
from pydantic_core import from_json, to_json

TOOL = "look"
RESULT = "\n".join(f"pod/checkout-7c9d6f5b84-{n:05d}   1/1   Running   0   {n}h" for n in range(8))
DISCOVERED = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {"listChanged": False}},
    "resultType": "complete",
    "cacheScope": "private",
    "ttlMs": 0,
}
LISTED = {
    "tools": [
        {
            "name": TOOL,
            "description": "Lists what there is of a kind.",
            "inputSchema": {
                "type": "object",
                "properties": {"what": {"type": "string", "description": "pods, deployments, events"}},
                "required": ["what"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {"result": {"type": "string"}},
                "required": ["result"],
            },
            "annotations": {"readOnlyHint": sys.argv[3:] != ["granted"]},
        }
    ],
    "resultType": "complete",
    "cacheScope": "private",
    "ttlMs": 0,
}
CALLED = {
    "content": [{"type": "text", "text": RESULT}],
    "structuredContent": {"result": RESULT},
    "isError": False,
    "resultType": "complete",
}
RESULTS = {"server/discover": DISCOVERED, "tools/list": LISTED}


def main() -> None:
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    uvloop.run(serve(partial(answer, seconds), port))


def answer(seconds: float, door: Door, body: bytes) -> None:
    message = from_json(body)
    match message.get("method"):
        case "tools/call":
            response = _response(message["id"], CALLED)
            if seconds == 0:
                door.write(response)
            else:
                asyncio.get_running_loop().call_later(seconds, door.write, response)
        case method if method in RESULTS:
            door.write(_response(message["id"], RESULTS[method]))
        case _:
            door.write(whole(b"", status="202 Accepted"))


def _response(id: object, result: dict[str, object]) -> bytes:
    return whole(to_json({"jsonrpc": "2.0", "id": id, "result": result}))


if __name__ == "__main__":
    main()
