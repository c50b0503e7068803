"""Parser of fetched record batches that skips what cannot be parsed.

aiokafka raises from `getmany` for an unknown codec, a bad header name or a wrong checksum. It raises at the same batch
for ever, and loses the records before it. Here each such record, or batch, becomes an UnparsableRecord in its place.
"""

import struct
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from aiokafka import ConsumerRecord

from tarsy_bus.client.aiokafka_internals.fetches import (
    DefaultRecordBatch,
    FetchedRecords,
    LegacyRecordBatch,
    decode_varint,
)
from tarsy_bus.client.decompression import DecompressionError, decompress
from tarsy_contracts.wire.topics import LIMIT_BYTES

FRAME = struct.Struct(">qi")
"""Base offset; length of what follows. So begin all formats."""
HEADER = struct.Struct(">qiibIhiqqqhii")
"""Base offset, length, leader epoch, magic, checksum, attributes, last offset delta, first and largest timestamp,
producer id and epoch, base sequence, number of records."""
MAGIC_AT = 16
ATTRIBUTES, ATTRIBUTES_AT = struct.Struct(">h"), 21
CODEC, APPEND_TIME, CONTROL = 0x07, 0x08, 0x20
SMALLEST_LEGACY_BATCH = 26
LOG_APPEND_TIME = 1
UNPACKED_BYTES = 2 * LIMIT_BYTES
"""Bytes of compressed batches of a partition that are handed out in one piece: they may shrink a thousandfold."""

type KafkaRecord = ConsumerRecord[bytes, bytes]
type Headers = Sequence[tuple[str, bytes | None]]


@dataclass
class UnparsableRecord(ConsumerRecord[bytes, bytes]):  # type: ignore[misc]
    """Stands for one record, or for a whole batch, with the bytes that are there.

    Its offset is the last one that it stands for, so that readers go on behind it. `damaged`: the checksum does not
    fit, so that it may have been a record of ours.
    """

    first_offset: int
    problem: str
    damaged: bool


class Batches:
    """The batches of one fetch, as bytes; a last one that is cut off is left out."""

    def __init__(self, fetched: bytes) -> None:
        self._fetched = memoryview(fetched)
        self._at = 0

    def size_in_bytes(self) -> int:
        return len(self._fetched)

    def has_next(self) -> bool:
        return self._end_of_batch() is not None

    def __iter__(self) -> Iterator[bytes]:
        while (end := self._end_of_batch()) is not None:
            batch = bytes(self._fetched[self._at : end])
            self._at = end
            yield batch

    def _end_of_batch(self) -> int | None:
        left = len(self._fetched) - self._at
        if left < FRAME.size:
            return None
        _, length = FRAME.unpack_from(self._fetched, self._at)
        size = FRAME.size + max(length, 0)
        return self._at + size if size <= left else None


def plain_batch(raw: bytes) -> tuple[bytes, int] | None:
    """The batch as if it had not been compressed, and the offset of its last record.

    None of a batch that is damaged, of an old format, in a codec of others, or of a transaction's marker.
    """
    if len(raw) < HEADER.size or raw[MAGIC_AT] < 2 or not DefaultRecordBatch(raw).validate_crc():
        return None
    base, _, _, _, _, attributes, delta, _, _, _, _, _, _ = HEADER.unpack_from(raw)
    if attributes & CONTROL:
        return None
    try:
        return _decompress_batch(raw, attributes), base + delta
    except DecompressionError:
        return None


class TolerantRecords(FetchedRecords):
    """The records of a partition in one fetch, in order. Transactions are ignored: nobody here reads committed."""

    _unpacked_bytes = 0

    def parse(self) -> Iterator[KafkaRecord]:
        """The batches behind UNPACKED_BYTES are fetched again when their turn comes."""
        for batch in self.batches:
            yield from self._records_of(batch)
            if self._unpacked_bytes >= UNPACKED_BYTES:
                return

    def _records_of(self, raw: bytes) -> Iterator[KafkaRecord]:
        if len(raw) <= MAGIC_AT or raw[MAGIC_AT] < 2:
            yield from self._parse_legacy_batch(raw)
            return
        if len(raw) < HEADER.size:
            yield self._skip_as_unparsable(
                raw, FRAME.unpack_from(raw)[0], "the header of the batch is cut off", damaged=True
            )
            return
        base, _, _, _, _, attributes, delta, first_stamp, stamp, _, _, _, count = HEADER.unpack_from(raw)
        if not DefaultRecordBatch(raw).validate_crc():
            # The number of its records may be damaged, too.
            last = base + (delta if 0 <= delta == count - 1 else 0)
            yield self._skip_as_unparsable(raw, last, "the checksum of the batch does not fit", damaged=True)
            return
        last = base + delta
        if not attributes & CONTROL:
            try:
                plain = _decompress_batch(raw, attributes)
            except DecompressionError as problem:
                yield self._skip_as_unparsable(raw, last, str(problem), stamp=stamp)
                return
            if attributes & CODEC:
                self._unpacked_bytes += len(plain)
            if not (yield from self._parse_by_aiokafka(plain)):
                stamps = _Stamps(None if attributes & APPEND_TIME else first_stamp, stamp)
                yield from self._parse_one_by_one(bytearray(plain), base, last, count, stamps)
        self.next_fetch_offset = max(self.next_fetch_offset, last + 1)

    def _parse_by_aiokafka(self, plain: bytes) -> Generator[KafkaRecord, None, bool]:
        """Yields the records that aiokafka parses. Returns False when it stopped at one."""
        batch = iter(DefaultRecordBatch(plain))
        while True:
            try:
                record = next(batch)
            except StopIteration:
                return True
            except Exception:  # noqa: BLE001 # whatever it makes of a stranger's bytes
                return False
            if record.offset >= self.next_fetch_offset:
                self.next_fetch_offset = record.offset + 1
                yield self.record_of(record)

    def _parse_one_by_one(
        self, plain: bytearray, base: int, last: int, count: int, stamps: "_Stamps"
    ) -> Iterator[KafkaRecord]:
        """From the first record again: those that were yielded are known by their offsets."""
        at = HEADER.size
        for _ in range(count):
            try:
                record = _parse_record(plain, at)
            except (IndexError, ValueError) as problem:
                yield self._skip_as_unparsable(
                    bytes(plain[at:]), last, f"no record is readable: {problem}", stamp=stamps.largest
                )
                return
            at = record.end
            offset = base + record.offset_delta
            if offset < self.next_fetch_offset:
                continue
            if record.problem is None:
                self.next_fetch_offset = offset + 1
                fields = _consumer_record_fields(record.key, record.value, record.headers)
                yield ConsumerRecord(self.place.topic, self.place.partition, offset, stamps.of(record), *fields)
            else:
                yield self._skip_as_unparsable(
                    record.value, offset, record.problem, stamp=stamps.of(record), record=record
                )

    def _parse_legacy_batch(self, raw: bytes) -> Iterator[KafkaRecord]:
        """Formats of before Kafka 0.11, which an old segment may still have."""
        last, _ = FRAME.unpack_from(raw)
        try:
            if len(raw) < SMALLEST_LEGACY_BATCH:
                raise ValueError("the header of the batch is cut off")
            batch = LegacyRecordBatch(raw, raw[MAGIC_AT])
            if not batch.validate_crc():
                raise ValueError("the checksum of the batch does not fit")
            records = list(batch)
        except Exception as problem:  # noqa: BLE001 # whatever it makes of a stranger's bytes
            yield self._skip_as_unparsable(raw, last, str(problem) or repr(problem), damaged=True)
            return
        for record in records:
            if record.offset >= self.next_fetch_offset:
                self.next_fetch_offset = record.offset + 1
                yield self.record_of(record)

    def _skip_as_unparsable(
        self,
        value: bytes | None,
        last: int,
        problem: str,
        *,
        stamp: int = 0,
        damaged: bool = False,
        record: "_Parts | None" = None,
    ) -> UnparsableRecord:
        """Offsets in a damaged batch may be wrong: reading goes on, and never back."""
        first = self.next_fetch_offset
        last = max(first, last)
        self.next_fetch_offset = last + 1
        fields = _consumer_record_fields(record.key if record else None, value, record.headers if record else ())
        position = (self.place.topic, self.place.partition, last, stamp)
        return UnparsableRecord(*position, *fields, first_offset=first, problem=problem, damaged=damaged)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a record. `problem`: what is wrong with it although they are there."""

    timestamp_delta: int
    offset_delta: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    problem: str | None
    end: int


@dataclass(frozen=True, slots=True)
class _Stamps:
    """`first` where each record has a time of its own."""

    first: int | None
    largest: int

    def of(self, record: _Parts) -> int:
        return self.largest if self.first is None else self.first + record.timestamp_delta


def _parse_record(plain: bytearray, at: int) -> _Parts:
    """Raises IndexError or ValueError where no record begins and ends."""
    length, at = decode_varint(plain, at)
    end = at + length
    if length <= 0 or end > len(plain):
        raise ValueError(f"one of {length} bytes, with {len(plain) - at} left")
    _, at = decode_varint(plain, at)
    timestamp_delta, at = decode_varint(plain, at)
    offset_delta, at = decode_varint(plain, at)
    key, at = _read_bytes(plain, at, end)
    value, at = _read_bytes(plain, at, end)
    count, at = decode_varint(plain, at)
    headers: list[tuple[str, bytes | None]] = []
    problem = None
    for _ in range(count):
        name, at = _read_bytes(plain, at, end)
        content, at = _read_bytes(plain, at, end)
        try:
            headers.append(((name or b"").decode(), content))
        except UnicodeDecodeError:
            headers.append(((name or b"").decode(errors="replace"), content))
            problem = "the name of a header is not UTF-8 text"
    if at != end:
        problem = f"the record ends {abs(end - at)} bytes {'before' if at < end else 'behind'} its own length"
    return _Parts(timestamp_delta, offset_delta, key, value, headers, problem, end)


def _read_bytes(plain: bytearray, at: int, end: int) -> tuple[bytes | None, int]:
    length, at = decode_varint(plain, at)
    if length < 0:
        return None, at
    if at + length > end:
        raise ValueError(f"a part of {length} bytes, with {end - at} left")
    return bytes(plain[at : at + length]), at + length


def _decompress_batch(raw: bytes, attributes: int) -> bytes:
    """The batch as if it had not been compressed. Raises DecompressionError."""
    if not attributes & CODEC:
        return raw
    header = bytearray(raw[: HEADER.size])
    ATTRIBUTES.pack_into(header, ATTRIBUTES_AT, attributes & ~CODEC)
    return bytes(header) + decompress(raw[HEADER.size :], attributes & CODEC)


def _consumer_record_fields(
    key: bytes | None, value: bytes | None, headers: Headers
) -> tuple[int, bytes | None, bytes | None, None, int, int, Headers]:
    """The fields of a ConsumerRecord, from the type of its timestamp on."""
    sizes = [-1 if part is None else len(part) for part in (key, value)]
    return (LOG_APPEND_TIME, key, value, None, sizes[0], sizes[1], tuple(headers))
