"""Answers about dead letters. Words of strangers are masked, but for the raw bytes."""

import base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from tarsy_bus.dead_letters.letter_index import DeadLetter
from tarsy_bus.dead_letters.parsing import split_headers
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.api.dead_letters import DeadLetterDetail, DeadLetterRaw, DeadLetterRow, MaskedHeader, RawHeader
from tarsy_contracts.messages import dead_letters as d
from tarsy_contracts.wire.envelope import wire_time

type Mask = Callable[[str], str]

SHOWN_CHARACTERS = 16_000
READ_BYTES = 256 * 1024
"""The length of a value that is masked. Half a secret at its end lies beyond the shown part."""
MOST_HEADERS = 100
HEADER_CHARACTERS = 1_000


def row(letter: DeadLetter, mask: Mask, refusal: str | None) -> DeadLetterRow:
    last, redriven = letter.last, letter.redriven
    return DeadLetterRow(
        id=letter.id,
        status="waiting" if letter.waits else "redriven",
        service=mask(last.service),
        topic=mask(last.topic),
        partition=last.source_partition,
        offset=last.source_offset,
        appended_at=None if last.appended_ms is None else _ms_to_wire_time(last.appended_ms),
        buried_at=_ms_to_wire_time(last.buried_ms),
        reason=mask(last.reason),
        attempts=last.attempt,
        cut=letter.first.cut,
        size_bytes=letter.first.size,
        redriven_at=None if redriven is None else _ms_to_wire_time(redriven.at_ms),
        redriven_by=None if redriven is None else redriven.by,
        refusal=refusal,
    )


def detail(letter: DeadLetter, record: Record, mask: Mask, refusal: str | None) -> DeadLetterDetail:
    """A megabyte takes a while to mask: for a thread."""
    own, ours = split_headers(record.headers)
    value, cut = _mask_and_cut(record.value, mask)
    key, key_cut = _mask_and_cut(record.key, mask)
    # The reason of the first burial is whole here; a later one has its beginning.
    reason = ours[d.REASON].decode(errors="replace") if letter.first is letter.last and d.REASON in ours else ""
    shown = row(letter, mask, refusal)
    return DeadLetterDetail(
        **shown.model_dump(exclude={"reason"}),
        reason=mask(reason) if reason else shown.reason,
        stored_partition=letter.first.partition,
        stored_offset=letter.first.offset,
        key=key,
        value=value,
        shortened=cut or key_cut or len(own) > MOST_HEADERS,
        headers=tuple(_mask_headers(own[:MOST_HEADERS], mask)),
    )


def raw(letter: DeadLetter, record: Record) -> DeadLetterRaw:
    own, _ = split_headers(record.headers)
    return DeadLetterRaw(
        id=letter.id,
        key=_to_base64(record.key),
        value=_to_base64(record.value),
        headers=tuple(RawHeader(name=name, value=base64.b64encode(value).decode()) for name, value in own),
    )


def _mask_headers(own: list[tuple[str, bytes]], mask: Mask) -> Iterator[MaskedHeader]:
    """Name and value are masked together: a name shows that the value is a secret."""
    for name, value in own:
        text = value[:READ_BYTES].decode(errors="backslashreplace")
        masked_name, _, masked = mask(f"{name}: {text}").partition(": ")
        yield MaskedHeader(name=masked_name[:HEADER_CHARACTERS], value=masked[:HEADER_CHARACTERS])


def _mask_and_cut(part: bytes | None, mask: Mask) -> tuple[str | None, bool]:
    if part is None:
        return None, False
    masked = mask(part[:READ_BYTES].decode(errors="backslashreplace"))
    return masked[:SHOWN_CHARACTERS], len(part) > READ_BYTES or len(masked) > SHOWN_CHARACTERS


def _to_base64(part: bytes | None) -> str | None:
    return None if part is None else base64.b64encode(part).decode()


def _ms_to_wire_time(milliseconds: int) -> str:
    return wire_time(datetime.fromtimestamp(milliseconds / 1000, UTC))
