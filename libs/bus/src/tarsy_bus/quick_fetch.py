"""Fetch requests and responses on the wire, many times as fast as aiokafka's own.

aiokafka has one coder for all messages, that goes through them field by field: a fetch of 36 partitions costs it more
than everything else around it. This one knows the version that all brokers since 2.3 speak, and no other.
"""

from io import BytesIO
from struct import Struct, error

from tarsy_bus.aiokafka_internals import FetchRequest, FetchRequest_v11, FetchResponse_v11

HEAD = Struct(">iiiibii")
"""Replica, longest wait, least and most bytes, isolation; id and epoch of an incremental session: there is none."""
COUNT = Struct(">i")
LENGTH = Struct(">h")
ASKED = Struct(">iiqqi")
"""Partition, epoch of its leader, offset, the log's first offset, most bytes."""
ANSWERED_HEAD = Struct(">ihi")
"""Throttled milliseconds, error, session."""
ANSWERED = Struct(">ihqqqi")
"""Partition, error, high watermark, last stable and first offset, number of aborted transactions."""
ABORTED = Struct(">qq")
REPLICA_AND_SIZE = Struct(">ii")
NOTHING = -1

type Aborted = list[tuple[int, int]] | None
type Answered = tuple[int, int, int, int, int, Aborted, int, bytes | None]


class QuickFetchResponse(FetchResponse_v11):  # type: ignore[misc] # aiokafka is untyped
    @classmethod
    def decode(cls, data: BytesIO | bytes) -> "QuickFetchResponse":
        """Raises ValueError for what is no response."""
        if isinstance(data, bytes):
            data = BytesIO(data)
        with data.getbuffer() as view:
            try:
                return cls(*_answer(view, data.tell()))
            except error as problem:
                raise ValueError(f"the response to a fetch ends too early: {problem}") from problem


class QuickFetchStruct(FetchRequest_v11):  # type: ignore[misc]
    RESPONSE_TYPE = QuickFetchResponse

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded

    def encode(self) -> bytes:
        return self._encoded

    def __repr__(self) -> str:
        return f"a fetch of {len(self._encoded)} bytes"


class QuickFetchRequest(FetchRequest):  # type: ignore[misc]
    def build(self, request_struct_class: type) -> FetchRequest_v11:
        if request_struct_class is not FetchRequest_v11:
            return super().build(request_struct_class)
        head = HEAD.pack(
            NOTHING, self._max_wait_ms, self._min_bytes, self._max_bytes, self._isolation_level, 0, NOTHING
        )
        parts = [head, COUNT.pack(len(self._topics))]
        for topic, partitions in self._topics:
            parts += (_text(topic), COUNT.pack(len(partitions)))
            parts += (ASKED.pack(number, NOTHING, offset, NOTHING, most) for number, offset, most in partitions)
        return QuickFetchStruct(b"".join((*parts, COUNT.pack(0), _text(self._rack_id))))


def _text(text: str) -> bytes:
    encoded = text.encode()
    return LENGTH.pack(len(encoded)) + encoded


def _answer(view: memoryview, at: int) -> tuple[int, int, int, list[tuple[str, list[Answered]]]]:
    throttled, code, session = ANSWERED_HEAD.unpack_from(view, at)
    (count,) = COUNT.unpack_from(view, at := at + ANSWERED_HEAD.size)
    at += COUNT.size
    topics = []
    for _ in range(count):
        (length,) = LENGTH.unpack_from(view, at)
        name = str(_bytes(view, at := at + LENGTH.size, length), "utf-8")
        (partitions,) = COUNT.unpack_from(view, at := at + length)
        at += COUNT.size
        answered = []
        for _ in range(partitions):
            one, at = _partition(view, at)
            answered.append(one)
        topics.append((name, answered))
    return throttled, code, session, topics


def _partition(view: memoryview, at: int) -> tuple[Answered, int]:
    """The answer about a partition, and where it ends."""
    number, code, watermark, stable, first, count = ANSWERED.unpack_from(view, at)
    at += ANSWERED.size
    aborted: Aborted = None if count == NOTHING else []
    for _ in range(count):
        assert aborted is not None
        aborted.append(ABORTED.unpack_from(view, at))
        at += ABORTED.size
    replica, size = REPLICA_AND_SIZE.unpack_from(view, at)
    at += REPLICA_AND_SIZE.size
    records = None if size == NOTHING else _bytes(view, at, size)
    return (number, code, watermark, stable, first, aborted, replica, records), at + max(size, 0)


def _bytes(view: memoryview, at: int, size: int) -> bytes:
    found = bytes(view[at : at + size])
    if len(found) != size:
        raise ValueError(f"the response to a fetch ends after {len(found)} of {size} bytes")
    return found
