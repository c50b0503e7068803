"""Record batches as strangers may write them: compressed, or such that clients of Kafka choke on them."""

import struct
from collections.abc import Iterable, Sequence

from aiokafka import AIOKafkaProducer, ConsumerRecord
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.util import calc_crc32c

from tarsy_bus.client.connection import Bus

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
CHECKSUM, CHECKSUM_AT, CHECKED_FROM = struct.Struct(">I"), 17, 21
ATTRIBUTES, BASE_OFFSET = struct.Struct(">h"), struct.Struct(">q")
NAME = b"name-to-be-broken"
BROKEN_NAME = b"name\xff\xfe\xff\xfe\xff\xfe-broken"

type Headers = Sequence[tuple[str, bytes]]


def batch_of(values: Sequence[bytes], *, codec: str = "none", headers: Sequence[Headers] | None = None) -> bytes:
    """One batch; `headers` are those of each record."""
    builder = DefaultRecordBatchBuilder(2, CODECS[codec], False, -1, -1, -1, 64 * 1024 * 1024)
    for number, value in enumerate(values):
        own = list(headers[number]) if headers else []
        builder.append(number, timestamp=1_000 + number, key=b"k", value=value, headers=own)
    return bytes(builder.build())


def batch_with(records: Iterable[ConsumerRecord[bytes, bytes]], *, codec: str = "none") -> bytes:
    """One batch with these keys, values and headers, from offset 0 on."""
    builder = DefaultRecordBatchBuilder(2, CODECS[codec], False, -1, -1, -1, 64 * 1024 * 1024)
    for number, one in enumerate(records):
        builder.append(number, timestamp=1_000, key=one.key, value=one.value, headers=list(one.headers))
    return bytes(builder.build())


def with_a_broken_name(values: Sequence[bytes], broken: int) -> bytes:
    """The header of one record has a name that is not UTF-8 text."""
    headers = [[(NAME.decode(), b"1")] if number == broken else [] for number in range(len(values))]
    return checked(batch_of(values, headers=headers).replace(NAME, BROKEN_NAME))


def with_codec(batch: bytes, codec: int) -> bytes:
    """Says of itself that it is compressed so."""
    (attributes,) = ATTRIBUTES.unpack_from(batch, CHECKED_FROM)
    return checked(
        batch[:CHECKED_FROM] + ATTRIBUTES.pack(attributes & ~7 | codec) + batch[CHECKED_FROM + ATTRIBUTES.size :]
    )


def at_offset(batch: bytes, offset: int) -> bytes:
    """As the broker would give it out; the checksum does not cover the offset."""
    return BASE_OFFSET.pack(offset) + batch[BASE_OFFSET.size :]


def checked(batch: bytes) -> bytes:
    checksum = CHECKSUM.pack(calc_crc32c(batch[CHECKED_FROM:]))
    return batch[:CHECKSUM_AT] + checksum + batch[CHECKED_FROM:]


async def write_batch(bus: Bus, topic: str, batch: bytes, partition: int = 0) -> int:
    """The offset that the broker gave its first record."""
    producer = AIOKafkaProducer(bootstrap_servers=bus.bootstrap, max_request_size=8 * 1024 * 1024)
    await producer.start()
    try:
        builder = producer.create_batch()
        builder.append(timestamp=None, key=b"k", value=b"not sent")
        builder.close()
        builder._buffer = bytearray(batch)
        metadata = await (await producer.send_batch(builder, topic, partition=partition))
    finally:
        await producer.stop()
    offset: int = metadata.offset
    return offset


async def write_in_transaction(bus: Bus, topic: str, partition: int = 0) -> None:
    """One record that no envelope says is ours. The marker of the end of the transaction lies behind it."""
    producer = AIOKafkaProducer(bootstrap_servers=bus.bootstrap, transactional_id=f"stranger to {topic}")
    await producer.start()
    try:
        async with producer.transaction():
            await producer.send_and_wait(topic, b"not ours", partition=partition)
    finally:
        await producer.stop()
