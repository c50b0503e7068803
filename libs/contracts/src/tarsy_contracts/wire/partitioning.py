"""Partitioner of our topics: Kafka's own (murmur2, as its Java clients have it), over a number of partitions of ours.

Kafka's clients take the number that the topic has today, so that a topic that somebody grew sends the same key
elsewhere.
"""

from functools import lru_cache
from struct import unpack_from

SEED = 0x9747B28C
MULTIPLIER, SHIFT = 0x5BD1E995, 24
WORD = 0xFFFFFFFF
KNOWN_KEYS = 4_096
"""Keys whose partition is kept: those of sessions that run come with every message of theirs."""


@lru_cache(KNOWN_KEYS)
def partition_of(key: bytes, partitions: int) -> int:
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(data: bytes) -> int:
    """As `org.apache.kafka.common.utils.Utils.murmur2`, but without a sign."""
    rest = len(data) % 4
    found = _mix_words(SEED ^ len(data), data)
    if rest:
        found = (found ^ int.from_bytes(data[-rest:], "little")) * MULTIPLIER & WORD
    return _finish_hash(found)


def next_in_partition(id: str, partition: int, partitions: int) -> str | None:
    """The UUID, or the next one that lies in this partition: its last four digits are counted up. None: no such one.

    One word of the hash is made for each, instead of nine.
    """
    kept, last = id[:-4], int(id[-4:], 16)
    begun = _mix_words(SEED ^ len(id), kept.encode()) * MULTIPLIER & WORD
    for number in range(last, last + 0x10000):
        digits = f"{number & 0xFFFF:04x}"
        # As _mix_words and _finish_hash: alerts come by the thousand, and a call costs more than the arithmetic.
        mixed = int.from_bytes(digits.encode(), "little") * MULTIPLIER & WORD
        found = begun ^ ((mixed ^ mixed >> SHIFT) * MULTIPLIER & WORD)
        found = (found ^ found >> 13) * MULTIPLIER & WORD
        if ((found ^ found >> 15) & 0x7FFFFFFF) % partitions == partition:
            return kept + digits
    return None


def _mix_words(found: int, data: bytes) -> int:
    """With the whole words of the data."""
    for word in unpack_from(f"<{len(data) // 4}I", data):
        mixed = word * MULTIPLIER & WORD
        found = (found * MULTIPLIER & WORD) ^ ((mixed ^ mixed >> SHIFT) * MULTIPLIER & WORD)
    return found


def _finish_hash(found: int) -> int:
    found = (found ^ found >> 13) * MULTIPLIER & WORD
    return found ^ found >> 15
