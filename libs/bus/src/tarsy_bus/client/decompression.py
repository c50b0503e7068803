"""Bounded decompression of Kafka's record batches: a stranger's megabyte can hold gigabytes."""

import struct
import zlib
from collections.abc import Callable

import cramjam

from tarsy_bus.errors import BusError
from tarsy_contracts.wire.topics import LIMIT_BYTES

UNCOMPRESSED_BYTES = 8 * LIMIT_BYTES
FIRST_BYTES = 64 * 1024
TOO_LARGE = f"the records are larger than {UNCOMPRESSED_BYTES} bytes when they are decompressed"
TOO_SMALL = "failed to write whole buffer"
XERIAL = b"\x82SNAPPY\x00"
"""How the snappy streams of Kafka's clients begin; after it two numbers, then blocks with their lengths."""
XERIAL_HEADER_BYTES = 16
GZIP_FORMAT = 16 + zlib.MAX_WBITS


class DecompressionError(BusError):
    """The bytes are not what their codec says, or too many; the message says which. The caller buries the record."""


def decompress(packed: bytes, codec: int) -> bytes:
    """`codec` as in the attributes of a batch. Raises DecompressionError."""
    try:
        match codec:
            case 1:
                return _decompress_gzip(packed)
            case 2:
                return _decompress_snappy(packed)
            case 3:
                return _decompress_into_buffer(cramjam.lz4.decompress_into, packed)
            case 4:
                return _decompress_into_buffer(cramjam.zstd.decompress_into, packed)
            case _:
                raise DecompressionError(f"the codec {codec} is not known")
    except (cramjam.DecompressionError, zlib.error, struct.error) as problem:
        raise DecompressionError(f"the records cannot be decompressed: {problem}") from problem


def _decompress_gzip(packed: bytes) -> bytes:
    stream = zlib.decompressobj(GZIP_FORMAT)
    found = stream.decompress(packed, UNCOMPRESSED_BYTES + 1)
    _check_size(len(found))
    if not stream.eof:
        raise DecompressionError("the records cannot be decompressed: their end is missing")
    return found


def _decompress_snappy(packed: bytes) -> bytes:
    if not packed.startswith(XERIAL):
        return _decompress_snappy_block(packed, 0)
    found = bytearray()
    at = XERIAL_HEADER_BYTES
    while at < len(packed):
        (length,) = struct.unpack_from(">i", packed, at)
        at += 4
        if length <= 0:
            raise DecompressionError(f"the records cannot be decompressed: a block of {length} bytes")
        found += _decompress_snappy_block(packed[at : at + length], len(found))
        at += length
    return bytes(found)


def _decompress_snappy_block(block: bytes, before: int) -> bytes:
    _check_size(before + cramjam.snappy.decompress_raw_len(block))
    return bytes(cramjam.snappy.decompress_raw(block))


def _decompress_into_buffer(decompress_into: Callable[[bytes, bytearray], int], packed: bytes) -> bytes:
    """The size is not known before. Only its message tells that a buffer was too small, and the bytes not broken."""
    size = min(max(FIRST_BYTES, 8 * len(packed)), UNCOMPRESSED_BYTES)
    while True:
        buffer = bytearray(size)
        try:
            return bytes(memoryview(buffer)[: decompress_into(packed, buffer)])
        except cramjam.DecompressionError as problem:
            if TOO_SMALL not in str(problem):
                raise
            if size == UNCOMPRESSED_BYTES:
                raise DecompressionError(TOO_LARGE) from problem
            size = min(4 * size, UNCOMPRESSED_BYTES)


def _check_size(size: int) -> None:
    if size > UNCOMPRESSED_BYTES:
        raise DecompressionError(TOO_LARGE)
