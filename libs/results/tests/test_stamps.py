"""Time stamps of lines, as the loggers of this world write them."""

from datetime import UTC, datetime

import pytest

from tarsy_results.blocks import Block
from tarsy_results.line_stamps import find_stamped_lines, stamp_at
from tarsy_results.position import TextPosition
from tarsy_results.stamps import Stamp, parse_stamp

TEN = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)


def block(text: str | bytes) -> Block:
    return Block(text if isinstance(text, bytes) else text.encode(), TextPosition(0))


def stamp_of(line: str) -> Stamp | None:
    found = list(find_stamped_lines(block(f"{line}\n")))
    assert len(found) < 2
    return found[0].stamp if found else None


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-22T10:00:00Z stdout F hello",
        "2026-11-22T11:00:00.000000000+01:00 hello",
        "2026-11-22 10:00:00,000 INFO hello",
        "[2026-11-22 10:00:00,000] INFO kafka",
        "2026/11/22 10:00:00 [error] 7#7: nginx",
        "2026-11-22 10:00:00.000 +0000 UTC go",
        "2026-11-22 10:00:00.000 UTC [123] LOG:  postgres",
        "2026-11-22T10:00:00.000+0000: 1.2: [GC",
        '10.0.0.1 - - [22/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1"',
        "[Sun Nov 22 10:00:00.000 2026] [core:error] apache",
        "1:M 22 Nov 2026 10:00:00.000 * redis",
        "Nov 22, 2026 10:00:00 AM java.util.logging",
        "Sun Nov 22 10:00:00 UTC 2026",
        '{"level":"info","ts":1795341600.0,"msg":"zap"}',
        '{"level":"info","msg":"renewed until 2027-01-01T00:00:00Z","time":"2026-11-22T10:00:00Z"}',
        '{"@timestamp":"2026-11-22T10:00:00.000Z","message":"x"}',
        'time="2026-11-22T10:00:00Z" level=info msg="until 2027-01-01T00:00:00Z"',
        'level=info msg="short" ts=2026-11-22T10:00:00Z',
        "1795341600000 milliseconds",
        "[pod/api-7/app] 2026-11-22T10:00:00Z with a prefix",
        "\x1b[32m2026-11-22T10:00:00Z\x1b[0m coloured",
    ],
)
def test_a_whole_stamp_is_understood(line: str) -> None:
    found = stamp_of(line)
    assert found is not None
    assert (found.time, found.missing) == (TEN, "nothing")


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("I1122 10:00:00.000000       1 file.go:12] klog", "year"),
        ("Nov 22 10:00:00 host sshd[1]: syslog", "year"),
        ("10:00:00.000 [main] INFO logback", "date"),
        ("[10:00:00 INF] serilog", "date"),
        ("10:00:00", "date"),
    ],
)
def test_what_a_stamp_leaves_out_is_taken_near_to_what_is_asked(line: str, missing: str) -> None:
    found = stamp_of(line)
    assert found is not None
    assert found.missing == missing
    assert found.near(TEN.replace(hour=12)) == TEN


def test_a_stamp_without_a_year_may_lie_in_the_year_before_or_after() -> None:
    new_year = datetime(2027, 1, 1, 0, 5, tzinfo=UTC)
    december, january = stamp_of("Dec 31 23:59:00 host x"), stamp_of("Jan  1 00:01:00 host x")
    assert december is not None
    assert january is not None
    assert december.near(new_year).year == 2026
    assert january.near(new_year).year == january.near(datetime(2026, 12, 31, 23, tzinfo=UTC)).year == 2027


def test_a_leap_day_is_the_day_after_28_february_in_other_years() -> None:
    leap = stamp_of("Feb 29 10:00:00 host x")
    assert leap is not None
    assert leap.near(TEN) in (datetime(2027, 3, 1, 10, tzinfo=UTC), datetime(2026, 3, 1, 10, tzinfo=UTC))


@pytest.mark.parametrize(
    "line",
    [
        "no stamp here",
        "    at foo.bar(Baz.java:12)",
        "2026-13-22T10:00:00Z month 13",
        "version 10.2026-11-22",
        "x" * 400 + " 2026-11-22T10:00:00Z too far on",
        "took 12:30:00 of 4294967296",
    ],
)
def test_what_is_no_stamp_of_the_line_is_none(line: str) -> None:
    assert stamp_of(line) is None


def test_seconds_since_1970_are_told_as_people_read_them() -> None:
    found = stamp_of("1795341600.5 x")
    assert found is not None
    assert found.text == "2026-11-22T10:00:00.500Z"


def test_a_stamp_alone_is_parsed_whole_or_not_at_all() -> None:
    assert parse_stamp(b"2026-11-22T10:00:00Z and more") is None
    assert parse_stamp(b"") is None


def test_the_rest_of_a_line_that_began_before_the_block_has_no_stamp() -> None:
    rest = Block(b" 2026-11-22T10:00:00Z of a long line\n2026-11-22T10:00:01Z next\n", TextPosition(4, 70_000))
    assert [line.start for line in find_stamped_lines(rest)] == [37]


def test_a_line_without_a_stamp_has_that_of_the_last_line_before_it_in_this_block_or_the_one_before() -> None:
    before = block("2026-11-22T10:00:00Z one\n at two\n")
    here = Block(b" at three\n2026-11-22T10:00:09Z four\n at five\n", TextPosition(2))
    texts = [found.text if (found := stamp_at(line, before, here)) else None for line in (2, 3, 4)]
    assert texts == ["2026-11-22T10:00:00Z", "2026-11-22T10:00:09Z", "2026-11-22T10:00:09Z"]
    assert stamp_at(2, None, here) is None
