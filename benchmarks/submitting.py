"""Alerts through ingest, as fast as it takes them, with as little work here as can be."""

import asyncio
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

AT_ONCE = 32


def distinct(number: int) -> str:
    return f"The pod checkout-{number} restarts again and again. " * 10


async def submit(ingest: str, count: int, *, first: int = 0, text: Callable[[int], str] = distinct) -> dict[int, str]:
    """The id of each alert's session, by the alert's number; they are numbered from `first`. `text`: what one says."""
    place = urlsplit(ingest)
    assert place.hostname is not None
    assert place.port is not None
    numbers = iter(range(first, first + count))
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_some(place.hostname, place.port, numbers, text)) for _ in range(min(AT_ONCE, count))
        ]
    return {number: id for task in tasks for number, id in task.result().items()}


async def _some(host: str, port: int, numbers: Iterator[int], text: Callable[[int], str]) -> dict[int, str]:
    reader, writer = await asyncio.open_connection(host, port)
    ids = {}
    for number in numbers:
        body = to_json({"alert_type": "bench", "data": text(number)})
        head = f"POST /api/v1/alerts HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        ids[number] = await _answer(reader)
    writer.close()
    return ids


async def _answer(reader: asyncio.StreamReader) -> str:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    body = await reader.readexactly(length)
    if b" 202 " not in head.partition(b"\r\n")[0]:
        raise AssertionError(f"ingest answered {head!r} {body!r}")
    return str(from_json(body)["session_id"])
