"""A hostile MCP server over stdio, of the kind that it is told: `python -m tarsy_soak.hostile_server KIND`.

It imports the standard library alone, so that nothing keeps it from saying what no library would say.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import count

type Json = dict[str, object]

TOOL = "probe"
MANY_TOOLS = 10_000
SCHEMA_PROPERTIES = 20_000
DEPTH = 5_000
GARBAGE_LINES = 100_000
LINE = "2026-11-22T12:00:00Z INFO request {number:07} served\n"
PLANTED = "ghp_S0akPlanted1n1tsOwnHostileServer4567"
"""A token that it says wherever it can: nobody may see it."""

PROTOCOL: Json = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {"name": "hostile", "version": "6.6.6"},
    "capabilities": {"tools": {}},
}


def _tool(name: str = TOOL, schema: object = None) -> Json:
    return {
        "name": name,
        "description": f"Looks at a thing. Its token is {PLANTED}.",
        "inputSchema": schema or {"type": "object"},
        "annotations": {"readOnlyHint": True},
    }


def _reply(id: object, result: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result})


def _listed(id: object) -> Iterator[str]:
    yield _reply(id, {"tools": [_tool()]})


def _answered(id: object) -> Iterator[str]:
    yield _reply(id, {"content": [{"type": "text", "text": f"fine, with {PLANTED}"}]})


def _many_tools(id: object) -> Iterator[str]:
    yield _reply(id, {"tools": [_tool(f"{TOOL}_{number}") for number in range(MANY_TOOLS)]})


def _huge_schemas(id: object) -> Iterator[str]:
    properties = {f"field_{number}": {"type": "string", "pattern": "a" * 40} for number in range(SCHEMA_PROPERTIES)}
    schema = {"type": "object", "properties": properties}
    yield _reply(id, {"tools": [_tool(f"{TOOL}_{number}", schema) for number in range(5)]})


def _deep_tool(id: object) -> Iterator[str]:
    """Beside one that is as it should be."""
    deep = _reply(id, {"tools": [_tool(), _tool("deep", {"type": "object", "properties": "DEPTH"})]})
    yield deep.replace('"DEPTH"', '{"a": ' * DEPTH + "{}" + "}" * DEPTH)


def _garbage_lines(id: object) -> Iterator[str]:
    for number in range(GARBAGE_LINES):
        yield f"garbage {number} {PLANTED}"
    yield from _listed(id)


def _endless_result(id: object) -> Iterator[str]:
    """One line that never ends: the whole of it goes out without a newline."""
    yield f'{{"jsonrpc": "2.0", "id": {json.dumps(id)}, "result": {{"content": [{{"type": "text", "text": "'
    for number in count():
        yield json.dumps(LINE.format(number=number) * 1_000)[1:-1]


def _wrong_id(id: object) -> Iterator[str]:
    yield from _answered(f"not {id}")


def _lone_surrogate(id: object) -> Iterator[str]:
    yield _reply(id, {"content": [{"type": "text", "text": "half of a character: \ud83d"}]})


type Answer = Callable[[object], Iterator[str]]

HOSTILE_KINDS: Mapping[str, tuple[Answer, Answer]] = {
    "many-tools": (_many_tools, _answered),
    "huge-schemas": (_huge_schemas, _answered),
    "deep-tool": (_deep_tool, _answered),
    "garbage-lines": (_garbage_lines, _answered),
    "endless-result": (_listed, _endless_result),
    "wrong-id": (_listed, _wrong_id),
    "lone-surrogate": (_listed, _lone_surrogate),
}
"""Answers of each kind to `tools/list` and to `tools/call`, a line each."""


def respond(kind: str, message: Json) -> Iterator[str]:
    """Pieces of what goes out: each is a line, but those of the result that never ends."""
    listed, called = HOSTILE_KINDS[kind]
    id = message.get("id")
    match message.get("method"):
        case "initialize":
            yield _reply(id, PROTOCOL)
        case "tools/list":
            yield from listed(id)
        case "tools/call":
            yield from called(id)
        case _:
            yield json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "what is that?"}})


def main() -> None:
    kind = sys.argv[1]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        end = "" if kind == "endless-result" and message.get("method") == "tools/call" else "\n"
        for piece in respond(kind, message):
            sys.stdout.write(piece + end)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
