"""An aiokafka producer that paces metadata, shares its attempts to connect, and may compress what is large."""

import struct

import cramjam
from aiokafka import AIOKafkaProducer

from tarsy_bus.client.aiokafka_internals.cluster_metadata import pace_metadata
from tarsy_bus.client.aiokafka_internals.connections import share_connections
from tarsy_bus.client.aiokafka_internals.produce_batches import calc_crc32c, rewrite_batches
from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.record_parsing import ATTRIBUTES, ATTRIBUTES_AT, FRAME, HEADER

COMPRESSED_FROM_BYTES = 8 * 1024
"""Smaller batches win little, and would cost their readers a buffer each."""
LEVEL = 3
"""As Kafka's own clients have it."""
ZSTD = 4
LENGTH, LENGTH_AT = struct.Struct(">i"), 8
CHECKSUM, CHECKSUM_AT = struct.Struct(">I"), 17


def compress(batch: bytearray) -> bytes | bytearray:
    """The batch as zstd; as it is where it is small, or no smaller when it is compressed.

    It is compressed on the event loop: half a megabyte of logs takes 2 milliseconds, the largest batch 8.
    """
    if len(batch) < COMPRESSED_FROM_BYTES:
        return batch
    packed = bytes(cramjam.zstd.compress(memoryview(batch)[HEADER.size :], level=LEVEL))
    if HEADER.size + len(packed) >= len(batch):
        return batch
    found = batch[: HEADER.size] + packed
    (attributes,) = ATTRIBUTES.unpack_from(found, ATTRIBUTES_AT)
    LENGTH.pack_into(found, LENGTH_AT, len(found) - FRAME.size)
    ATTRIBUTES.pack_into(found, ATTRIBUTES_AT, attributes | ZSTD)
    CHECKSUM.pack_into(found, CHECKSUM_AT, calc_crc32c(found[ATTRIBUTES_AT:]))
    return found


class PacedProducer(AIOKafkaProducer):  # type: ignore[misc]
    def __init__(self, *, connections: BrokerConnections, compress_large: bool = False, **settings: object) -> None:
        super().__init__(**settings)
        pace_metadata(self)
        share_connections(self, connections)
        if compress_large:
            rewrite_batches(self, compress)
