"""Shared records: requests that ask for the same act while one is being written share the next record.

A sender of a thousand alerts a second would else pay for two records with each, one after the other.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from tarsy_bus.client.publisher import NotWrittenError
from tarsy_contracts.messages.audit import ActRequested

type Write = Callable[[ActRequested], Awaitable[object]]


@dataclass(eq=False, slots=True)
class _Record:
    """`is_open`: others may still share it. `outcome`: known once it has ended; None: its request was given up."""

    times: int = 1
    is_open: bool = True
    outcome: Literal["written", "not_written"] | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class SharedRecords:
    """Bounded by the requests in flight: an act without one is forgotten. `write` has a limit of time."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._last: dict[bytes, _Record] = {}

    async def write(self, act: ActRequested) -> None:
        """Returns when a record that counts this request is written. Raises NotWrittenError."""
        key = act.to_bytes()
        while (last := self._last.get(key)) is not None and last.is_open:
            last.times += 1
            await last.ended.wait()
            match last.outcome:
                case "written":
                    return
                case "not_written":
                    raise NotWrittenError("the record that others wait for, too, was not written")
                case None:
                    # The request that wrote it was given up: those who share it need another one.
                    continue
        record = self._last[key] = _Record()
        try:
            if last is not None:
                await last.ended.wait()
            await self._write_and_close(record, act)
        finally:
            record.is_open = False
            record.ended.set()
            if self._last.get(key) is record:
                del self._last[key]

    async def _write_and_close(self, record: _Record, act: ActRequested) -> None:
        record.is_open = False
        try:
            await self._write(act if record.times == 1 else act.model_copy(update={"times": record.times}))
            record.outcome = "written"
        except Exception:
            record.outcome = "not_written"
            raise
