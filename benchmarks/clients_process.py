"""Live clients in a process of their own: `python benchmarks/clients_process.py PLAN`, a `Plan` as JSON.

They take frames apart by hand and look for the stamps of tokens: a client library costs more for a message than the
gateway that sends it, and on the same cores. All are connected before the first subscribes. It writes a line when they
are, reads the time of subscribing from a line, and prints what they found: after a time, or when its input ends.
"""

import asyncio
import base64
import json
import os
import re
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import cast, override

import uvloop

OPENING_AT_ONCE = 50
SETTLED_SECONDS = 1.0
"""After all have subscribed at once."""
CONFIRMED = b'"type":"subscription.confirmed"'
CHUNK = b'"type":"stream.chunk"'
STAMP = re.compile(rb"t(\d{6,})")
"""Microseconds of the machine's clock (CLOCK_MONOTONIC)."""
HANDSHAKE = (
    "GET /api/v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
HEAD_END = b"\r\n\r\n"
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
MASKED = 0x80
NO_MASK = bytes(4)
"""A mask of zeros leaves the bytes as they are."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`sessions`: the session of each client. The first `stalled` of them stop to read at their first text."""

    port: int
    seconds: float
    sessions: list[str]
    stalled: int


@dataclass(slots=True)
class Found:
    """`confirmed`: seconds from the time of subscribing; `late`: milliseconds from a token to a client.

    `settled`: those of tokens that were written once the beginnings of texts had been told.
    """

    confirmed: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    messages: int = 0
    closed: int = 0
    cpu_seconds: float = 0.0


class WatchingClient(asyncio.Protocol):
    """One client. `opened` is set with the gateway's greeting."""

    def __init__(self, port: int, found: Found, *, stalls: bool) -> None:
        self._port = port
        self._found = found
        self._stalls = stalls
        self._data = b""
        self._take: Callable[[bytes], bytes] = self._take_head
        self._subscribed_at = 0.0
        self.opened = asyncio.Event()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass
        key = base64.b64encode(os.urandom(16)).decode()
        self._transport.write(HANDSHAKE.format(port=self._port, key=key).encode())

    def subscribe(self, session_id: str, at: float) -> None:
        self._subscribed_at = at
        self._send(TEXT, json.dumps({"action": "subscribe", "channel": f"session:{session_id}"}).encode())

    @override
    def data_received(self, data: bytes) -> None:
        self._data = self._take(self._data + data if self._data else data)

    def _take_head(self, data: bytes) -> bytes:
        head, end, rest = data.partition(HEAD_END)
        if not end:
            return data
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode())
        self._take = self._take_frames
        return self._take_frames(rest)

    def _take_frames(self, data: bytes) -> bytes:
        """Returns what belongs to a frame that is not whole yet."""
        at, now = 0, time.monotonic()
        while len(data) - at >= 2:
            size, begin = data[at + 1], at + 2
            if size == 126 and len(data) - at >= 4:
                size, begin = struct.unpack_from(">H", data, begin)[0], begin + 2
            elif size == 127 and len(data) - at >= 10:
                size, begin = struct.unpack_from(">Q", data, begin)[0], begin + 8
            elif size >= 126:
                break
            if len(data) < begin + size:
                break
            self._frame(data[at] & 0xF, data[begin : begin + size], now)
            at = begin + size
        return data[at:]

    def _frame(self, opcode: int, payload: bytes, now: float) -> None:
        if opcode == PING:
            self._send(PONG, payload)
        elif opcode == CLOSE:
            self._found.closed += 1
        elif not self.opened.is_set():
            self.opened.set()
        else:
            self._found.messages += 1
            self._text(payload, now)

    def _text(self, payload: bytes, now: float) -> None:
        if CHUNK in payload:
            # What was written before the client asked is the beginning of the text, and no news.
            written = [int(stamp) / 1e6 for stamp in STAMP.findall(payload)]
            self._found.late += [(now - one) * 1000 for one in written if one >= self._subscribed_at]
            settled = self._subscribed_at + SETTLED_SECONDS
            self._found.settled += [(now - one) * 1000 for one in written if one >= settled]
            if self._stalls:
                self._transport.pause_reading()
        elif CONFIRMED in payload:
            self._found.confirmed.append(now - self._subscribed_at)

    def _send(self, opcode: int, payload: bytes) -> None:
        self._transport.write(bytes([0x80 | opcode, MASKED | len(payload)]) + NO_MASK + payload)


async def watch(plan: Plan) -> Found:
    found, opening = Found(), asyncio.Semaphore(OPENING_AT_ONCE)

    async def open_one(*, stalls: bool) -> WatchingClient:
        async with opening:
            _, client = await asyncio.get_running_loop().create_connection(
                lambda: WatchingClient(plan.port, found, stalls=stalls), "127.0.0.1", plan.port
            )
            await client.opened.wait()
            return client

    clients = await asyncio.gather(*(open_one(stalls=number < plan.stalled) for number in range(len(plan.sessions))))
    sys.stdout.write("connected\n")
    sys.stdout.flush()
    at = float(await asyncio.to_thread(sys.stdin.readline))
    await asyncio.sleep(at - time.monotonic())
    began = time.process_time()
    for client, session_id in zip(clients, plan.sessions, strict=True):
        client.subscribe(session_id, at)
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    await asyncio.wait([ended], timeout=plan.seconds + at - time.monotonic())
    found.cpu_seconds = time.process_time() - began
    return found


async def main() -> None:
    sys.stdout.write(json.dumps(asdict(await watch(Plan(**json.loads(sys.argv[1]))))))
    sys.stdout.flush()
    os._exit(0)  # a thread may wait for the input still


if __name__ == "__main__":
    uvloop.run(main())
