"""Poison records: what no reader can read, and what pretends to be one of ours. Pure."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tarsy_contracts.wire.topics import LIMIT_BYTES

STRANGER = "stranger"
"""The source that envelopes of poison name."""

type Headers = Sequence[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class PoisonRecord:
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


def poison_records(topic: str, session_id: str, random: Random) -> Iterator[PoisonRecord]:
    """Records to plant on the topic (its name without the prefix). `session_id` is of a session that runs.

    Only on the session log it speaks of that session: there the acceptance rule drops it. An input of an unknown type
    sets its session aside, as it must, so the inbox gets those of a session that nobody has.
    """
    if topic == "alerts":
        yield from _bad_alerts()
        return
    subject = session_id if topic == "sessions" else f"{STRANGER}-{random.getrandbits(64):016x}"
    key = subject.encode()
    yield PoisonRecord(key, random.randbytes(300))
    yield PoisonRecord(key, None)
    yield PoisonRecord(None, b"")
    yield PoisonRecord(key, b"{}", [("ce_type", b"\xff\xfe"), ("ce_id", b"1")])
    yield PoisonRecord(key, b"[" * 50_000, _envelope("session.started", subject))
    yield PoisonRecord(key, b'{"input_tokens": 99999999999999999999}', _envelope("llm_call.completed", subject))
    yield PoisonRecord(key, b"x" * (LIMIT_BYTES - 4_096), _envelope("tool_call.completed", subject))
    yield PoisonRecord(random.randbytes(16), b"{}", _envelope("nothing.known", subject))


def _bad_alerts() -> Iterator[PoisonRecord]:
    yield PoisonRecord(b"k", b"\xff\xfe not text")
    yield PoisonRecord(b"k", b"{}", [("ce_id", b"1"), ("ce_source", b"\xff")])
    yield PoisonRecord(b"k", json.dumps({"data": "x", "alert_type": 7}).encode())
    yield PoisonRecord(b"k", json.dumps({"specversion": "1.0", "id": "", "source": ""}).encode())


def _envelope(type: str, subject: str) -> Headers:
    """An event or input of a stranger: it names no predecessor that anybody accepted."""
    return [
        ("ce_specversion", b"1.0"),
        ("ce_id", b"f" * 32),
        ("ce_type", type.encode()),
        ("ce_source", STRANGER.encode()),
        ("ce_subject", subject.encode()),
        ("ce_time", b"2026-01-01T00:00:00Z"),
        ("ce_dataschema", f"urn:tarsy:{type}:1".encode()),
        ("ce_sequence", b"7"),
        ("ce_previous", b"0" * 32),
        ("ce_decided", b"0"),
        ("content-type", b"application/json"),
    ]
