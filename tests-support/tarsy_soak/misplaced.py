"""Misplaced records: a genuine one where it does not belong, or a tombstone of what never was. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.events.heads import session_of_head_key
from tarsy_soak.faults import Misplacement
from tarsy_soak.poison import STRANGER

OPEN = b'"phase":"open"'


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """`partition` of the misplaced record's topic."""

    partition: int
    key: bytes
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()


def misplaced(
    fault: Misplacement, own: Sequence[Record], others: Sequence[Record], partitions: int, random: Random
) -> PlacedRecord | None:
    """`own`: records of the fault's topic, `others`: of another one, both in order. None: there is none to copy."""
    stranger = f"stranger/{random.getrandbits(64):016x}".encode()
    if fault.way == "tombstone":
        return PlacedRecord(random.randrange(partitions), stranger, None)
    candidates = _worth(fault, others if fault.way == "foreign" else own)
    if not candidates:
        return None
    chosen = candidates[min(int(fault.choice * len(candidates)), len(candidates) - 1)]
    partition = chosen.partition % partitions
    if fault.way == "elsewhere":
        partition = (partition + 1 + random.randrange(max(1, partitions - 1))) % partitions
    key = stranger if fault.way == "renamed" else chosen.key or stranger
    return PlacedRecord(partition, key, chosen.value, list(chosen.headers))


def _worth(fault: Misplacement, records: Sequence[Record]) -> list[Record]:
    """Records worth a copy: of heads, the last ones of sessions that are open, as others are sooner forgotten."""
    genuine = [record for record in records if record.key and record.value and _is_ours(record)]
    if fault.topic != "heads":
        return genuine
    newest = {session_of_head_key((record.key or b"").decode(errors="replace")): record for record in genuine}
    opened = [record for record in newest.values() if OPEN in (record.value or b"")]
    return opened or genuine


def _is_ours(record: Record) -> bool:
    """Poison is planted by another kind of fault."""
    source = dict(record.headers).get("ce_source")
    return source is not None and source != STRANGER.encode()
