"""Heads of many sessions: read as a take-over reads them, kept in little memory, found again as they were."""

import random
import tracemalloc
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from uuid import UUID, uuid5

import pytest
from aiokafka import ConsumerRecord, TopicPartition
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_bus.client.record_parsing import HEADER, Batches
from tarsy_bus.client.whole_batches import BatchRecords, WholeBatches
from tarsy_bus.log.head_batches import Belongs, HeadRows
from tarsy_bus.log.head_reading import HeadLoading
from tarsy_bus.log.head_rows import ENDINGS, pack_session
from tarsy_bus.log.head_store import HeadStore, JoinableSession
from tarsy_bus.log.heads import newest
from tarsy_bus.metrics import ignore_topic
from tarsy_bus.readers.misplaced import MisplacedRecords
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.events.heads import AlertMark, Phase, SessionHead, Span, head_key
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_testing.servers.foreign_batches import batch_with
from tarsy_testing.story.acceptance_world import replay_start

NOW = datetime(2026, 11, 22, tzinfo=UTC)
NAMESPACE = UUID("7f0c5b0e-0000-4000-8000-000000000000")
SESSIONS = (
    *(str(uuid5(NAMESPACE, str(number))) for number in range(4)),
    "by-hand",
    "ABCDEF00-0000-4000-8000-000000000000",
)
KEYS = tuple(str(uuid5(NAMESPACE, text)) for text in ("one", "other"))


def record(session_id: str, head: SessionHead, *, offset: int = 0, value: bytes | None = b"") -> Record:
    """As a HeadWriter writes it; or, with a value, of that."""
    envelope = envelope_of(head, id="h", source="orchestrator/o", subject=session_id, time=NOW)
    body = head.to_bytes() if value == b"" else value
    return raw(head_key(session_id, head.number).encode(), body, envelope.headers(), offset=offset)


def raw(key: bytes | None, value: bytes | None, headers: Headers, *, offset: int = 0) -> Record:
    return ConsumerRecord(
        topic="heads", partition=0, offset=offset, timestamp=0, timestamp_type=1, key=key, value=value, checksum=None,
        serialized_key_size=0, serialized_value_size=0, headers=tuple(headers),
    )  # fmt: skip


def batch_of(records: Iterable[Record], *, codec: str = "none") -> WholeBatches:
    """As a broker sends it."""
    batches = Batches(batch_with(records, codec=codec))
    (batch,) = BatchRecords(TopicPartition("heads", 0), batches, [], 0, None, None, True, 0)
    assert isinstance(batch, WholeBatches)
    return batch


def everywhere(session_id: bytes) -> bool:
    return True


def new_loading(belongs: Belongs = everywhere) -> HeadLoading:
    return HeadLoading(belongs, MisplacedRecords("heads", 0, ignore_topic))


def needs_no_decoding(*records: Record, codec: str = "none") -> bool:
    (batch,) = batch_of(records, codec=codec).plain
    return HeadRows(everywhere).take(batch)


def read(loading: HeadLoading, records: Iterable[Record]) -> None:
    loading.parse(batch_of(records))
    loading.take_parsed()()


def loaded(records: Iterable[Record], belongs: Belongs = everywhere) -> HeadStore:
    loading = new_loading(belongs)
    read(loading, records)
    return loading.finish()


def alerts_of(session_id: str, offset: int) -> AlertMark | None:
    """The key of a session, and the alert that started it, are always the same; some have none."""
    place = SESSIONS.index(session_id)
    if place == 0:
        return None
    return AlertMark(key=KEYS[place % 2], opened=place, alerted=offset, alerted_ms=offset)


@st.composite
def written(draw: st.DrawFn) -> list[tuple[str, SessionHead]]:
    """Heads of a few sessions as zombies may write them: in any order, some of them twice."""
    facts: list[tuple[str, SessionHead]] = []
    offset = 0
    for session_id in draw(st.lists(st.sampled_from(SESSIONS), max_size=25)):
        number = 1 + sum(one == session_id for one, _ in facts)
        offset += draw(st.integers(1, 3000))
        lives = tuple(Span(first=10 * place, last=10 * place + 5) for place in range(draw(st.integers(0, 3))))
        head = SessionHead(
            phase=draw(st.sampled_from(("open", "rest"))),
            number=number,
            offset=offset,
            event_id=f"{offset:032x}" if draw(st.booleans()) else f"event {offset}",
            decided=offset - 2,
            spans=lives,
            alerts=alerts_of(session_id, offset),
            ended=draw(st.sampled_from(ENDINGS)),
        )
        facts.append((session_id, head))
    return draw(st.permutations(facts)) + facts[: draw(st.integers(0, 3))]


def joinable(heads: list[tuple[str, SessionHead]], key: str) -> JoinableSession | None:
    of_key = [
        (one.alerts.opened, one.number, id, one)
        for id, one in newest(heads).items()
        if one.alerts and one.alerts.key == key
    ]
    # Nobody derives a session of another form, and none of those joins a key.
    derived = [found for found in of_key if isinstance(pack_session(found[2]), bytes)]
    if not derived:
        return None
    _, _, session_id, head = max(derived, key=lambda found: found[:2])
    assert head.alerts is not None
    return JoinableSession(session_id, head.alerts, head.phase == "rest" and not head.spans)


@settings(max_examples=200, deadline=None)
@given(written(), st.integers(1, 30))
def test_a_store_knows_what_a_dictionary_of_all_heads_would(heads: list[tuple[str, SessionHead]], chunk: int) -> None:
    loading = new_loading()
    records = [record(*one) for one in heads]
    for begin in range(0, len(records), chunk):
        read(loading, records[begin : begin + chunk])
    store, wanted = loading.finish(), newest(heads)
    try:
        assert {one: store.get(one) for one in SESSIONS} == {one: wanted.get(one) for one in SESSIONS}
        assert dict(store.open) == {one: head for one, head in wanted.items() if head.phase == "open"}
        assert store.beginning == replay_start(wanted)
        assert store.decided == max((head.decided for _, head in heads), default=-1)
        assert {key: store.joinable(key) for key in KEYS} == {key: joinable(heads, key) for key in KEYS}
        assert store.last == max(wanted.values(), key=lambda head: head.offset, default=None)
    finally:
        store.close()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_what_is_read_without_decoding_is_what_decoding_reads(data: st.DataObject) -> None:
    """Also of bodies that are not as our writers write them: those are decoded, or are no heads."""
    session_id, head = data.draw(st.sampled_from(SESSIONS)), at_rest(7, 40, Span(first=3, last=40))
    body = bytearray(head.to_bytes())
    for _ in range(data.draw(st.integers(0, 2))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place : place + 1] = data.draw(st.sampled_from((b"", b" ", b"0", b"-", b'"', b"9", b"e", b"]")))
    mutated = record(session_id, head, value=bytes(body))
    foreign = record(session_id, head, value=b" " + bytes(body))
    fast, slow = loaded([mutated]), loaded([foreign])
    try:
        assert not needs_no_decoding(foreign)
        assert fast.get(session_id) == slow.get(session_id)
    finally:
        fast.close()
        slow.close()


def test_heads_as_our_writers_write_them_need_no_decoding() -> None:
    for phase in ("rest", "open"):
        head = at_rest(7, 40, Span(first=3, last=9), Span(first=20, last=40)).model_copy(update={"phase": phase})
        joined = AlertMark(key=KEYS[0], opened=3, alerted=9, alerted_ms=1_700_000_000_000)
        assert needs_no_decoding(record(SESSIONS[1], head.model_copy(update={"alerts": joined})))
        for ended in ENDINGS:
            assert needs_no_decoding(record(SESSIONS[0], head.model_copy(update={"ended": ended})))
        assert needs_no_decoding(record(SESSIONS[0], head), raw(head_key(SESSIONS[0], 3).encode(), None, []))


def test_heads_of_before_need_no_decoding() -> None:
    head = at_rest(7, 40, Span(first=3, last=9))
    for missing in ({"ended"}, {"alerts", "ended"}):
        body = head.model_dump_json(exclude=missing).encode()
        before = record(SESSIONS[1], head, value=body)
        assert needs_no_decoding(before)
        store = loaded([before])
        try:
            assert store.get(SESSIONS[1]) == head
        finally:
            store.close()


def test_a_compressed_batch_holds_the_same_heads() -> None:
    records = [record(one, at_rest(7, 40 + number)) for number, one in enumerate(SESSIONS[:4])]
    assert needs_no_decoding(*records, codec="zstd")


def test_one_record_of_others_costs_no_head() -> None:
    heads = {one: at_rest(7, 40 + number) for number, one in enumerate(SESSIONS)}
    store = loaded([raw(b"k", b"v", []), *(record(one, head) for one, head in heads.items())])
    try:
        assert {one: store.get(one) for one in SESSIONS} == heads
    finally:
        store.close()


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_heads_at_one_offset_the_higher_number_is_the_last(order: int) -> None:
    """As when a log was replaced by another: an owner compares the last one with the log."""
    heads = [at_rest(7, 40), at_rest(8, 40).model_copy(update={"event_id": "f" * 32})]
    store = loaded([record(SESSIONS[0], head) for head in heads[::order]])
    try:
        assert store.last == heads[1]
    finally:
        store.close()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("length", [b"\x00", b"\x01", b"\x03", b"\x02"])
def test_a_record_that_is_shorter_than_what_it_holds_is_left_to_the_decoder(length: bytes) -> None:
    """Its length is 0, -1, -2 or 1: nothing may be read for ever."""
    key = head_key(SESSIONS[0], 7).encode()
    tombstone = length + b"\x00\x00\x00" + bytes([2 * len(key)]) + key + b"\x01\x00"
    assert not HeadRows(everywhere).take(bytes(HEADER.size) + tombstone)


def test_what_is_no_head_is_passed_over() -> None:
    head = at_rest(7, 40)
    good = record(SESSIONS[0], head)
    others = [
        raw(good.key, None, []),
        raw(good.key, b"{}", list(good.headers)),
        raw(good.key, good.value, []),
        raw(b"\xff/7", good.value, list(good.headers)),
    ]
    store = loaded([*others, record(SESSIONS[1], head)])
    try:
        assert [store.get(one) for one in SESSIONS[:2]] == [None, head]
    finally:
        store.close()


FORMS = (b"", b" ")
"""Before the body: as our writers write it, and as only the decoder reads it."""


def tombstone(session_id: str, number: int) -> Record:
    return raw(head_key(session_id, number).encode(), None, [])


def in_form(form: bytes, session_id: str, head: SessionHead) -> Record:
    return record(session_id, head, value=form + head.to_bytes())


@pytest.mark.parametrize("phase", ["open", "rest"])
@pytest.mark.parametrize("form", FORMS)
def test_a_head_of_a_session_of_another_partition_is_left_out(form: bytes, phase: Phase) -> None:
    """Its session is not in this partition of the log: an owner looked for it there, and never started again."""
    mine, others = SESSIONS[:2]
    key = AlertMark(key=KEYS[0], opened=3, alerted=9, alerted_ms=5)
    own, foreign = at_rest(7, 40), at_rest(9, 99).model_copy(update={"phase": phase, "decided": 8, "alerts": key})
    records = [in_form(form, mine, own), in_form(form, others, foreign)]
    store = loaded(records, lambda session: session != others.encode())
    with closing(store):
        assert dict(store.all()) == {mine: own}
        assert (store.last, store.decided, store.joinable(KEYS[0])) == (own, 3, None)
        assert store.misplaced == (head_key(others, 9),)


@pytest.mark.parametrize("form", FORMS)
def test_a_tombstone_ends_a_misplaced_head(form: bytes) -> None:
    others = SESSIONS[1]
    store = loaded([in_form(form, others, at_rest(9, 99)), tombstone(others, 9)], lambda session: False)
    with closing(store):
        assert store.misplaced == ()


@pytest.mark.parametrize("phase", ["open", "rest"])
@pytest.mark.parametrize("form", FORMS)
def test_a_tombstone_ends_a_false_head_before_the_broker_has_compacted_it_away(form: bytes, phase: Phase) -> None:
    """What follows from it goes, too. The head that counts comes after it, and may have the same number."""
    session_id, beside = SESSIONS[:2]
    key = AlertMark(key=KEYS[0], opened=99, alerted=99, alerted_ms=5)
    false = at_rest(7, 10**12).model_copy(update={"phase": phase, "decided": 10**9, "alerts": key})
    true, other = at_rest(7, 40), at_rest(3, 20)
    records = [record(beside, other), in_form(form, session_id, false), tombstone(session_id, 7)]
    for written, wanted, last in (
        (records, {beside: other}, other),
        ([*records, record(session_id, true)], {beside: other, session_id: true}, true),
    ):
        with closing(loaded(written)) as store:
            assert dict(store.all()) == wanted
            assert (store.last, store.decided, store.joinable(KEYS[0])) == (last, 3, None)


def test_a_tombstone_ends_no_head_that_is_newer() -> None:
    head = at_rest(9, 50)
    with closing(loaded([record(SESSIONS[0], head), tombstone(SESSIONS[0], 7)])) as store:
        assert store.get(SESSIONS[0]) == head


@pytest.mark.parametrize(
    "false",
    [
        {"number": 10**30},
        {"number": -1},
        {"offset": 10**30},
        {"decided": -5},
        {"spans": (Span(first=-1, last=10**40),)},
        {"alerts": AlertMark(key=KEYS[0], opened=10**30, alerted=1, alerted_ms=1)},
    ],
)
def test_a_head_with_numbers_that_nobody_counts_to_costs_no_other(false: dict[str, object]) -> None:
    """It raised in the thread that fills the store, at each start anew."""
    head = at_rest(7, 40)
    with closing(loaded([record(SESSIONS[0], head.model_copy(update=false)), record(SESSIONS[1], head)])) as store:
        assert dict(store.all()) == {SESSIONS[1]: head}


def test_a_head_under_the_key_of_another_number_is_none() -> None:
    head = at_rest(7, 40)
    strange = raw(head_key(SESSIONS[0], 3).encode(), head.to_bytes(), list(record(SESSIONS[0], head).headers))
    with closing(loaded([strange])) as store:
        assert store.get(SESSIONS[0]) is None


def test_a_head_of_the_owner_itself_replaces_what_was_known(store: HeadStore) -> None:
    session_id = SESSIONS[0]
    opened = at_rest(1, 5).model_copy(update={"phase": "open"})
    for head in (
        opened,
        at_rest(9, 50, Span(first=5, last=50)),
        opened.model_copy(update={"number": 10, "offset": 60}),
    ):
        store[session_id] = head
        assert store.get(session_id) == head
        assert list(store.open) == ([session_id] if head.phase == "open" else [])
    store[session_id] = at_rest(12, 70)
    assert store.beginning == 71


@pytest.fixture
def store() -> Iterator[HeadStore]:
    made = HeadStore()
    yield made
    made.close()


def test_no_two_sessions_share_a_place() -> None:
    ids = [*SESSIONS, SESSIONS[0].upper(), SESSIONS[0].replace("-", ""), f"{SESSIONS[0]} ", SESSIONS[0][:-1]]
    ids += [bytes.fromhex(SESSIONS[0].replace("-", "")).decode("latin-1")]
    assert len({pack_session(one) for one in ids}) == len(ids)


def test_sessions_that_ended_take_no_memory_of_ours() -> None:
    """1.95 KB each before there was a store: 2 GB for a million."""
    count, drawn = 20_000, random.Random(1)
    loading = new_loading()
    tracemalloc.start()
    try:
        for begin in range(0, count, 1000):
            ids = [str(UUID(int=drawn.getrandbits(128), version=4)) for _ in range(1000)]
            read(loading, (record(one, at_rest(30, begin)) for one in ids))
        store = loading.finish()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    store.close()
    assert kept / count < 20, f"{kept / count:.0f} bytes a session"


def test_records_of_another_form_are_decoded_by_the_thread_that_fills_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A foreign batch of 4 MiB would hold the event loop for a second."""
    decoded: list[Record] = []
    monkeypatch.setattr("tarsy_bus.log.head_reading._decode_head", decoded.append)
    loading = new_loading()
    head = at_rest(7, 40)
    loading.parse(batch_of([record(SESSIONS[0], head, value=b" " + head.to_bytes())]))
    assert decoded == []
    loading.take_parsed()()
    assert [one.value for one in decoded] == [b" " + head.to_bytes()]
    loading.store.close()


def at_rest(number: int, offset: int, *spans: Span) -> SessionHead:
    return SessionHead(phase="rest", number=number, offset=offset, event_id=f"{offset:032x}", decided=3, spans=spans)
