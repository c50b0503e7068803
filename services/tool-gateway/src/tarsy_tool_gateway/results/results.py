"""Result store: results are masked first, then cut for the log; a long one is stored whole in `tarsy.results`."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from tarsy_bus.client.publisher import Publisher, was_not_written
from tarsy_bus.retries import retry
from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.events import Piece, StoredResult
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.ids import report_id
from tarsy_results.text import count_lines, split, truncate_at_line

log = structlog.get_logger(__name__)

INLINE_BYTES = 64 * 1024
PIECE_BYTES = 512 * 1024
MOST_BYTES = 32 * 1024 * 1024
OFF_THE_LOOP_CHARACTERS = 256 * 1024
"""Longer text is masked and split in a thread: nobody else waits for it."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """`pieces` is empty when `content` is all there is. `size`, `lines` and `digest` are of the whole masked text.

    `digest` is empty without pieces.
    """

    content: str
    cut: bool
    size: int
    lines: int
    pieces: tuple[bytes, ...]
    digest: str = ""


@dataclass(frozen=True, slots=True)
class KeptResult:
    content: str
    cut: bool
    size: int
    lines: int
    stored: StoredResult | None


def prepare(text: str, mask: Callable[[str], str]) -> Prepared:
    # A lone surrogate, which JSON can carry, is no character that could be written.
    whole = mask(text).encode(errors="replace")
    size, lines = len(whole), count_lines(whole)
    if size <= INLINE_BYTES:
        return Prepared(whole.decode(), cut=False, size=size, lines=lines, pieces=())
    inline, digest = truncate_at_line(whole, INLINE_BYTES).decode(), hashlib.sha256(whole).hexdigest()
    if size > MOST_BYTES:
        whole = truncate_at_line(whole, MOST_BYTES - 200)
        whole += f"\n[cut here: the first {len(whole)} of {size} bytes are kept]\n".encode()
    return Prepared(inline, cut=True, size=size, lines=lines, pieces=tuple(split(whole, PIECE_BYTES)), digest=digest)


class ResultStore:
    """`mask_of`: from a server and a session to how what the server said in it is masked."""

    def __init__(
        self,
        publisher: Publisher,
        *,
        source: str,
        mask_of: Callable[[str, str], Callable[[str], str]],
        now: Callable[[], datetime],
    ) -> None:
        self._publisher = publisher
        self._source = source
        self._mask_of = mask_of
        self._now = now

    async def keep(self, request: ToolCallRequest, claim_id: str, text: str) -> KeptResult:
        """Masks and cuts; returns when what does not fit inline is stored, however long Kafka takes for it."""
        mask = self._mask_of(request.server, request.session_id)
        if len(text) > OFF_THE_LOOP_CHARACTERS:
            prepared = await asyncio.to_thread(prepare, text, mask)
        else:
            prepared = prepare(text, mask)
        stored = await self._store_pieces(request.session_id, request.call_id, claim_id, prepared)
        return KeptResult(prepared.content, prepared.cut, prepared.size, prepared.lines, stored)

    async def _store_pieces(
        self, session_id: str, call_id: str, claim_id: str, prepared: Prepared
    ) -> StoredResult | None:
        pieces = prepared.pieces
        if not pieces:
            return None
        partition: int | None = None
        pieces_stored: list[Piece] = []
        for index, piece in enumerate(pieces):
            id = report_id("result_piece", call_id, claim_id, index)
            # The key chooses the partition of the first; the others go where it went.
            partition, offset = await self._write_piece(session_id, call_id, id, piece, partition)
            pieces_stored.append(Piece(offset=offset, size=len(piece)))
        assert partition is not None
        return StoredResult(
            partition=partition,
            pieces=tuple(pieces_stored),
            size=sum(map(len, pieces)),
            lines=sum(piece.count(b"\n") for piece in pieces) + (not pieces[-1].endswith(b"\n")),
            digest=prepared.digest,
        )

    async def _write_piece(
        self, session_id: str, call_id: str, id: str, piece: bytes, partition: int | None
    ) -> tuple[int, int]:
        envelope = Envelope(
            id=id,
            type="result.piece",
            version=1,
            source=self._source,
            subject=session_id,
            time=self._now(),
            traceparent=current_traceparent(),
        )
        headers = [(name, value) for name, value in envelope.headers() if name != "content-type"]
        headers.append(("content-type", b"text/plain; charset=utf-8"))
        topic = self._publisher.topics.results
        metadata = await retry(
            lambda: self._publisher.write(
                topic, key=call_id.encode(), value=piece, headers=headers, partition=partition
            ),
            passes=was_not_written,
            failed=lambda problem, pause: log.warning("result.not_written", call_id=call_id, reason=str(problem)),
        )
        return metadata.partition, metadata.offset
