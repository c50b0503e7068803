"""The stamp of a line, in the formats of many makers; what is missing comes from the time near which it was read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_timestamps.stamps import find_stamp, find_times

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
AT = datetime(2026, 11, 23, 10, 0, 1, tzinfo=UTC)
THOUSANDTHS = timedelta(milliseconds=123)
EPOCH = int(AT.timestamp())


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-23T10:00:01Z INFO served",
        "2026-11-23T10:00:01+00:00 INFO served",
        "2026-11-23T11:00:01+0100 INFO served",
        "2026-11-23 05:00:01 -0500 INFO served",
        "2026-11-23 10:00:01+00 INFO served",
        "2026-11-23 10:00:01 UTC [81] LOG:  served",
        "2026-11-23 11:00:01 CET [81] LOG:  served",
        "2026/11/23 10:00:01 [warn] 1#1: served",
        "[2026-11-23 10:00:01] served",
        "<34>1 2026-11-23T10:00:01Z host app - - served",
        "Nov 23 10:00:01 node-3 kubelet[812]: served",
        "[Mon Nov 23 10:00:01 2026] [error] served",
        "Mon, 23 Nov 2026 10:00:01 GMT served",
        '10.0.0.7 - - [23/Nov/2026:10:00:01 +0000] "GET / HTTP/1.1" 200 12',
        "10.0.0.7:5123 [23/Nov/2026:11:00:01 +0100] served",
        "1:M 23 Nov 2026 10:00:01 * served",
        "23.11.2026 10:00:01 served",
        "10:00:01 [main] INFO served",
        '{"level":"info","msg":"served","ts":"2026-11-23T10:00:01Z"}',
        '{"t":{"$date":"2026-11-23T10:00:01+00:00"},"s":"I"}',
        'level=info time="2026-11-23T10:00:01Z" msg=served',
        f"level=info ts={EPOCH} msg=served",
        f'{{"level":"info","ts":{EPOCH}}}',
        f'{{"level":"info","time":{EPOCH}000}}',
        f"{EPOCH} served",
        '    "lastTimestamp": "2026-11-23T10:00:01Z",',
    ],
)
def test_a_stamp_is_found_in_the_formats_of_many_makers(line: str) -> None:
    assert find_stamp(line, NEAR) == AT
    assert find_stamp(line.encode(), NEAR) == AT


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-23T10:00:01.123Z served",
        "2026-11-23 10:00:01,123 served",
        "2026-11-23T10:00:01.123000000+00:00 served",
        "I1123 10:00:01.123000       1 controller.go:12] served",
        "W20261123 10:00:01.123000 served",
        "10.0.0.7:5123 [23/Nov/2026:10:00:01.123] served",
        "[Mon Nov 23 10:00:01.123000 2026] served",
        f"{EPOCH}.123 served",
        f'{{"ts":{EPOCH}.123}}',
        f'{{"timestamp":"{EPOCH}123"}}',
        f'{{"time":{EPOCH}123000000}}',
        f"type=SYSCALL msg=audit({EPOCH}.123:45): served",
    ],
)
def test_parts_of_a_second_count(line: str) -> None:
    assert find_stamp(line, NEAR) == AT + THOUSANDTHS


def test_a_stamp_without_a_zone_is_in_that_of_the_time_near_it() -> None:
    zone = timezone(timedelta(hours=2))
    for line in ("2026-11-23 12:00:01 served", "Nov 23 12:00:01 served", "12:00:01 served"):
        assert find_stamp(line, NEAR.astimezone(zone)) == AT


def test_a_stamp_without_a_year_or_a_day_gets_the_nearest() -> None:
    midnight = datetime(2027, 1, 1, 0, 30, tzinfo=UTC)
    assert find_stamp("Dec 31 23:59:58 served", midnight) == midnight - timedelta(seconds=1802)
    assert find_stamp("Jan  1 00:30:00 served", midnight - timedelta(hours=1)) == midnight
    assert find_stamp("23:59:58.000 [main] served", midnight) == midnight - timedelta(seconds=1802)
    assert find_stamp("Feb 29 10:00:00 served", NEAR) == datetime(2028, 2, 29, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "line",
    [
        f'{{"expires":"2027-01-01T00:00:00Z","ts":{EPOCH}}}',
        '{"msg":"expires at 2027-01-01T00:00:00Z","time":"2026-11-23T10:00:01Z"}',
        "level=info expires=2027-01-01T00:00:00Z ts=2026-11-23T10:00:01Z",
        "2026-11-23T10:00:01Z expires at 2027-01-01T00:00:00Z",
        "12 requests since 10:20, 2026-11-23T10:00:01Z",
        "from 10.0.0.7 at 00:1b:44:11:3a:b7 [23/Nov/2026:10:00:01 +0000]",
    ],
)
def test_the_stamp_goes_before_other_times_of_the_line(line: str) -> None:
    assert find_stamp(line, NEAR) == AT


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no time at all",
        "it took 12:30 minutes",
        "pod 2026-11-23",
        "2026-02-30T10:00:01Z there is no such day",
        "2026-13-01T10:00:01Z there is no such month",
        "2026-11-23T25:00:01Z there is no such hour",
        "Feb 30 10:00:01 there is no such day in any year",
        "00:1b:44:11:3a:b7 is an address",
        "4111111111111111 is a number",
        "order=1795428001",
    ],
)
def test_a_line_without_a_stamp_has_none(line: str) -> None:
    assert find_stamp(line, NEAR) is None


def test_a_leap_second_is_that_before_it() -> None:
    assert find_stamp("2016-12-31T23:59:60Z", NEAR) == datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_a_sentence_names_times_with_a_date_and_without() -> None:
    said = "Errors began at 10:00:01, after the roll-out of 2026-11-22T09:30Z; see (11:15) as well."
    assert [time.nearest(NEAR) for time in find_times(said)] == [
        AT,
        datetime(2026, 11, 22, 9, 30, tzinfo=UTC),
        datetime(2026, 11, 23, 11, 15, tzinfo=UTC),
    ]


@given(
    st.text(st.sampled_from('0123456789-/:., TZ+[]{}"=tsNovFeb'), max_size=60) | st.binary(max_size=60),
    st.integers(-1_000, 20_000).map(lambda days: NEAR + timedelta(days)),
)
def test_no_line_is_too_odd(line: str | bytes, near: datetime) -> None:
    found = find_stamp(line, near)
    assert found is None or found.astimezone(UTC).year >= 1899
