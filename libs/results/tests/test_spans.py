"""Lines of a span of time."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_results.blocks import Block, Blocks
from tarsy_results.position import TextPosition
from tarsy_results.spans import InvalidTimeError, SpanFilter, TimeSpan, parse_span
from tarsy_results.text import split

LOG = (
    b"a header\n"
    b"2026-11-22T10:00:00Z one\n"
    b"2026-11-22T10:05:00Z two\n"
    b" at two\n"
    b"2026-11-22T10:10:00Z three\n"
    b"2026-11-22T10:05:30Z late\n"
    b" at late\n"
    b"2026-11-22T10:15:00Z four\n"
)


def span(begin: str = "", end: str = "") -> TimeSpan:
    found = parse_span(begin, end)
    assert found is not None
    return found


def chosen(text: bytes, wanted: TimeSpan, *, piece: int = 1000, inside: bool = False) -> list[tuple[int, str]]:
    """The lines with their numbers."""
    blocks, chooser, found = Blocks(TextPosition(0)), SpanFilter(wanted, inside=inside), []
    for one in [*split(text, piece), b""]:
        for block in blocks.take(one) if one else blocks.rest():
            for part in chooser.select(block):
                lines = part.text.decode().splitlines()
                found += [(part.at.line + number, line.split()[-1]) for number, line in enumerate(lines)]
    return found


@pytest.mark.parametrize("piece", [4, 30, 1000])
def test_lines_of_the_span_come_with_those_that_belong_to_them_also_when_stamps_go_backwards(piece: int) -> None:
    wanted = span("2026-11-22T10:05:00Z", "2026-11-22T10:06:00Z")
    assert chosen(LOG, wanted, piece=piece) == [(2, "two"), (3, "two"), (5, "late"), (6, "late")]


def test_a_span_may_be_open_on_either_side_and_what_has_no_time_is_not_in_it() -> None:
    assert [number for number, _ in chosen(LOG, span("2026-11-22T10:10:00Z"))] == [4, 7]
    assert [number for number, _ in chosen(LOG, span(end="2026-11-22T10:04:00Z"))] == [1]


def test_lines_before_the_first_stamp_belong_to_where_reading_went_on() -> None:
    assert chosen(LOG, span(end="2026-11-22T10:04:00Z"), inside=True)[0] == (0, "header")


@pytest.mark.parametrize(
    ("given", "last"),
    [
        ("2026-11-22", "2026-11-22T23:59:59.999999+00:00"),
        ("2026-11-22T10:05", "2026-11-22T10:05:59.999999+00:00"),
        ("2026-11-22 10:05:00", "2026-11-22T10:05:00.999999+00:00"),
        ("2026-11-22T10:05:00.12Z", "2026-11-22T10:05:00.129999+00:00"),
        ("2026-11-22T11:05+01:00", "2026-11-22T10:05:59.999999+00:00"),
        ("1795341900", "2026-11-22T10:05:00.999999+00:00"),
        ("22/Nov/2026:10:05:00 +0000", "2026-11-22T10:05:00.999999+00:00"),
    ],
)
def test_the_end_is_in_the_span_with_all_that_it_leaves_out(given: str, last: str) -> None:
    wanted, moment = span(end=given), datetime.fromisoformat(last)
    assert wanted.holds(moment)
    assert moment.microsecond == 999_999 or wanted.end > moment
    assert not wanted.holds(wanted.end)
    assert (wanted.end - moment).total_seconds() <= 0.000_001


@pytest.mark.parametrize("given", ["yesterday", "10:05", "Nov 22 10:05:00", "2026-13-01", "-15m", "\x00", "9" * 60])
def test_what_is_no_whole_time_is_refused_with_an_example(given: str) -> None:
    with pytest.raises(InvalidTimeError, match="such as 2026-11-22T10:05:00Z") as refused:
        parse_span(given, "")
    assert refused.value.name == "from"


@pytest.mark.parametrize("line", [b"Dec 31 23:59:00 host x\n", b"23:59:00 x\n", b"Feb 29 10:00:00 host x\n"])
@pytest.mark.parametrize(
    ("begin", "end"), [("9999-12-31T23:59", ""), ("", "9999-12-31"), ("0001-01-01", ""), ("", "0001-01-01")]
)
def test_spans_at_both_ends_of_the_calendar_do_no_harm(line: bytes, begin: str, end: str) -> None:
    SpanFilter(span(begin, end)).select(Block(line, TextPosition(0)))


def test_a_span_ends_after_it_begins() -> None:
    with pytest.raises(InvalidTimeError, match="`until` lies before `from`") as refused:
        parse_span("2026-11-22T10:05:01Z", "2026-11-22T10:05:00Z")
    assert refused.value.name == "until"
    assert parse_span("", "") is None


stamps = st.lists(st.one_of(st.none(), st.integers(0, 59)), max_size=60)


@given(stamps, st.integers(0, 59), st.integers(0, 59), st.integers(4, 200))
def test_it_finds_the_lines_that_anybody_would_find(
    minutes: list[int | None], first: int, last: int, piece: int
) -> None:
    first, last = min(first, last), max(first, last)
    lines = ["  more" if one is None else f"2026-11-22T10:{one:02}:00Z x" for one in minutes]
    wanted = span(f"2026-11-22T10:{first:02}", f"2026-11-22T10:{last:02}")
    inside, expected = False, []
    for number, one in enumerate(minutes):
        inside = inside if one is None else first <= one <= last
        expected += [number] if inside else []
    text = "".join(f"{line}\n" for line in lines).encode()
    assert [number for number, _ in chosen(text, wanted, piece=piece)] == expected


def test_stamps_that_alternate_and_one_endless_line_are_looked_at_once() -> None:
    """The parts of a block are its bytes, none of them twice."""
    alternating = b"".join(b"2026-11-22T10:%02d:00Z\n" % (number % 2 * 30) for number in range(2_900))
    endless = b"2026-11-22T10:00:00Z " * 3_000
    wanted = span("2026-11-22T10:00", "2026-11-22T10:10")
    for text, parts in ((alternating, 1_450), (endless, 1)):
        found = SpanFilter(wanted).select(Block(text, TextPosition(0)))
        assert len(found) == parts
        assert sum(len(part.text) for part in found) <= len(text)


def test_random_bytes_are_no_stamps_and_no_trouble() -> None:
    noise = random.Random(7).randbytes(64 * 1024)
    chooser = SpanFilter(TimeSpan(begin=datetime(2026, 1, 1, tzinfo=UTC)))
    chooser.select(Block(noise, TextPosition(0)))
    assert chooser.first is None
