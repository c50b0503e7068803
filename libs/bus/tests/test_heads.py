"""Heads: which an event brings, which of many counts, and where a reader begins."""

from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_bus.acceptance import ChainLink
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.log.heads import ENDED, MOST_SPANS, NEAR, newest, next_alerts, next_head
from tarsy_bus.log.join_rule import CLOSED
from tarsy_contracts import events as e
from tarsy_contracts.events import ENDINGS, SESSION_ENDINGS
from tarsy_contracts.events.heads import AlertMark, SessionHead, Span
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import Envelope
from tarsy_testing.story.story import ALERT, chain


def mark(type: str, *, offset: int, number: int = 1) -> ChainLink:
    return ChainLink("s", type, f"event at {offset}", None, number, offset)


def head(phase: str = "rest", *, number: int = 1, offset: int = 0, spans: tuple[Span, ...] = ()) -> SessionHead:
    return SessionHead(
        phase="open" if phase == "open" else "rest",
        number=number,
        offset=offset,
        event_id=f"event at {offset}",
        decided=-1,
        spans=spans,
    )


def lives(*spans: tuple[int, int]) -> SessionHead:
    """The head at rest of a session whose lives lay there: opened at the first offset, ended at the last."""
    current = None
    for number, (first, last) in enumerate(spans):
        opener = "session.reopened" if number else "session.started"
        current = next_head(current, mark(opener, offset=first, number=10 * number + 1), decided=first)
        assert current is not None
        current = next_head(current, mark("session.completed", offset=last, number=10 * number + 2), decided=last)
        assert current is not None
    assert current is not None
    return current


def test_a_start_opens_a_session() -> None:
    assert next_head(None, mark("session.started", offset=7), decided=3) == SessionHead(
        phase="open", number=1, offset=7, event_id="event at 7", decided=3, spans=()
    )


def test_an_event_of_an_open_session_brings_no_head() -> None:
    assert next_head(head("open"), mark("stage.started", offset=8), decided=3) is None


def test_an_event_of_a_session_without_a_head_brings_none() -> None:
    assert next_head(None, mark("session.completed", offset=8), decided=3) is None


@pytest.mark.parametrize("ending", sorted(ENDINGS))
def test_an_ending_brings_a_head_at_rest_with_the_life_from_its_opener(ending: str) -> None:
    assert next_head(head("open", offset=7), mark(ending, offset=20, number=9), decided=4) == SessionHead(
        phase="rest",
        number=9,
        offset=20,
        event_id="event at 20",
        decided=4,
        spans=(Span(first=7, last=20),),
        ended=ENDED.get(ending),
    )


def test_heads_say_how_the_investigation_ended_until_another_one_begins() -> None:
    ended = lives((7, 20))
    again = next_head(ended, mark("alert.repeated", offset=30, number=3), decided=9)
    asked = next_head(again, mark("session.reopened", offset=40, number=4), decided=10)
    answered = next_head(asked, mark("reply.completed", offset=50, number=5), decided=10)
    failed = next_head(answered, mark("session.failed", offset=60, number=6), decided=11)
    deleted = next_head(failed, mark("session.deleted", offset=70, number=7), decided=12)
    anew = next_head(failed, mark("session.started", offset=80, number=8), decided=13)
    found = [one and one.ended for one in (ended, again, asked, answered, failed, deleted, anew)]
    assert found == ["completed"] * 4 + ["failed", None, None]
    assert ENDED.keys() == SESSION_ENDINGS


def test_any_event_of_a_session_at_rest_brings_a_head_at_rest() -> None:
    resting = lives((7, 20))
    noted = next_head(resting, mark("alert.repeated", offset=5000, number=3), decided=9)
    assert noted is not None
    assert (noted.phase, noted.number, noted.offset, noted.decided) == ("rest", 3, 5000, 9)
    assert noted.spans == (Span(first=7, last=20), Span(first=5000, last=5000))


def test_an_opened_life_lists_the_lives_before_it_and_not_itself() -> None:
    opened = next_head(lives((7, 20)), mark("session.reopened", offset=90, number=3), decided=9)
    assert opened is not None
    assert (opened.phase, opened.offset, opened.spans) == ("open", 90, (Span(first=7, last=20),))


def test_lives_that_lie_apart_are_spans_of_their_own() -> None:
    far = 20 + NEAR + 1
    assert lives((7, 20), (far, far + 5), (9000, 9001)).spans == (
        Span(first=7, last=20),
        Span(first=far, last=far + 5),
        Span(first=9000, last=9001),
    )


def test_lives_that_lie_near_become_one_span() -> None:
    near = 20 + NEAR
    assert lives((7, 20), (near, near + 5)).spans == (Span(first=7, last=near + 5),)


@given(st.lists(st.integers(1, 2 * NEAR), min_size=2, max_size=12))
def test_spans_cover_every_life_in_order_and_lie_apart(steps: list[int]) -> None:
    offsets = [sum(steps[: place + 1]) for place in range(len(steps))]
    pairs = list(zip(offsets[::2], offsets[1::2], strict=False))
    spans = lives(*pairs).spans
    for first, last in pairs:
        assert any(span.first <= first and last <= span.last for span in spans)
    for one, other in pairwise(spans):
        assert other.first - one.last > NEAR


def test_a_session_that_lives_on_and_on_keeps_few_spans() -> None:
    """Each life was a span of its own: after 10,000 of them every head, and each reopening, had 400 KB."""
    apart = [100 * NEAR * place + (place % 7) * NEAR for place in range(1000)]
    lived = lives(*((first, first + 5) for first in apart))
    assert len(lived.spans) == MOST_SPANS
    assert len(lived.to_bytes()) < 4_000
    assert (lived.spans[0].first, lived.spans[-1].last) == (apart[0], apart[-1] + 5)
    for first in apart:
        assert any(span.first <= first and first + 5 <= span.last for span in lived.spans)


def test_of_many_spans_the_two_that_lie_nearest_become_one() -> None:
    apart = [10 * NEAR * place for place in range(MOST_SPANS)]
    near = [first - 3 * NEAR if place == 40 else first for place, first in enumerate(apart)]
    spans = lives(*((first, first + 1) for first in (*near, 10 * NEAR * MOST_SPANS))).spans
    assert len(spans) == MOST_SPANS
    assert spans[39] == Span(first=near[39], last=near[40] + 1)


def test_the_highest_number_of_a_session_counts_in_whatever_order_they_were_written() -> None:
    written = [("a", head(number=3)), ("a", head("open", number=9)), ("b", head(number=1)), ("a", head(number=5))]
    assert newest(written) == newest(reversed(written)) == {"a": head("open", number=9), "b": head(number=1)}


def test_a_head_that_was_written_twice_counts_once() -> None:
    assert newest([("a", head(number=3)), ("a", head(number=3))]) == {"a": head(number=3)}


def beginning_of(heads: dict[str, SessionHead]) -> int:
    """The offset from which a reader reads that is seeded by these heads."""
    with closing(HeadStore(heads)) as store:
        return store.beginning


def test_a_reader_begins_at_the_lowest_opener_of_an_open_session() -> None:
    heads = {"a": head("open", offset=50), "b": head("open", offset=30), "c": head(offset=10), "d": head(offset=99)}
    assert beginning_of(heads) == 30


def test_a_reader_begins_after_the_last_rest_when_no_session_is_open() -> None:
    assert beginning_of({"a": head(offset=10), "b": head(offset=99)}) == 100


def test_a_reader_without_heads_begins_at_the_beginning() -> None:
    assert beginning_of({}) == 0


# The alerts of a session


def recorded(event: e.Event, *, decided: int | None, second: int) -> RecordedEvent:
    at = datetime.fromtimestamp(second, UTC)
    envelope = Envelope(id="e", type=event.type, version=1, source="o", subject="s", time=at, decided=decided)
    return RecordedEvent(envelope=envelope, event=event, partition=0, offset=0, appended_at=at)


KNOWN = AlertMark(key="k", opened=3, alerted=5, alerted_ms=9_000)


def test_a_session_with_a_key_is_marked_by_the_alert_that_started_it() -> None:
    started = e.SessionStarted(input_id="i", alert=ALERT, chain=chain(), deduplication_key="k")
    assert next_alerts(KNOWN, recorded(started, decided=8, second=4)) == AlertMark(
        key="k", opened=8, alerted=8, alerted_ms=4_000
    )
    without = e.SessionStarted(input_id="i", alert=ALERT, chain=chain())
    assert next_alerts(None, recorded(without, decided=8, second=4)) is None


def test_each_alert_moves_the_mark_and_none_moves_it_back() -> None:
    again = e.AlertRepeated(input_id="i", source="api")
    moved = next_alerts(KNOWN, recorded(again, decided=7, second=20))
    assert moved == AlertMark(key="k", opened=3, alerted=7, alerted_ms=20_000)
    assert next_alerts(KNOWN, recorded(again, decided=5, second=1)) == KNOWN, "a broker's clock may go back"
    assert next_alerts(None, recorded(again, decided=7, second=20)) is None
    assert next_alerts(KNOWN, recorded(e.SessionFailed(error="x"), decided=9, second=30)) == KNOWN


def test_a_session_that_never_began_is_joined_by_no_alert_and_one_that_a_person_ended_is() -> None:
    never = e.SessionCancelled(author="alertmanager", reason="over")
    closed = next_alerts(KNOWN, recorded(never, decided=9, second=30))
    assert closed is not None
    assert (closed.alerted, closed.alerted_ms) == (5, CLOSED)
    for by_a_person in (e.SessionCancelled(author="ann"), e.SessionCancelled(author="ann", comment="a drill")):
        assert next_alerts(KNOWN, recorded(by_a_person, decided=9, second=30)) == KNOWN
