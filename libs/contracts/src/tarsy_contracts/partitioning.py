"""Partitioner of our topics: Kafka's own (murmur2, as its Java clients have it), over a number of partitions of ours.

Kafka's clients take the number that the topic has today, so that a topic that somebody grew sends the same key
elsewhere.
"""

SEED = 0x9747B28C
MULTIPLIER, SHIFT = 0x5BD1E995, 24
WORD = 0xFFFFFFFF


def partition_of(key: bytes, partitions: int) -> int:
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(data: bytes) -> int:
    """As `org.apache.kafka.common.utils.Utils.murmur2`, but without a sign."""
    length = len(data)
    whole = length - length % 4
    found = (SEED ^ length) & WORD
    for at in range(0, whole, 4):
        found = (found * MULTIPLIER & WORD) ^ _mixed(int.from_bytes(data[at : at + 4], "little"))
    if whole < length:
        found = (found ^ int.from_bytes(data[whole:], "little")) * MULTIPLIER & WORD
    found = (found ^ found >> 13) * MULTIPLIER & WORD
    return found ^ found >> 15


def _mixed(word: int) -> int:
    word = word * MULTIPLIER & WORD
    return (word ^ word >> SHIFT) * MULTIPLIER & WORD
