"""Times in excerpts: around the alert, around times that were named, around changes; kinds that alternate."""

import random
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.focus import Focus
from tarsy_timestamps.stamps import find_times

BEGIN = datetime(2026, 11, 23, 8, tzinfo=UTC)
NEAR = BEGIN + timedelta(hours=6)
READABLE = re.compile(r" \[= [^]]* UTC\]")
WORDS = [f"{one}{two}ing the {three}" for one in "abcdef" for two in "ghijk" for three in ("cart", "order", "user")]

type Stamp = Callable[[datetime], str]

STAMPS: dict[str, Stamp] = {
    "ISO": lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}",
    "ISO in another zone": lambda at: f"{at + timedelta(hours=2):%Y-%m-%d %H:%M:%S+0200}",
    "syslog": lambda at: f"{at:%b %d %H:%M:%S}",
    "klog": lambda at: f"I{at:%m%d %H:%M:%S}.123456",
    "epoch": lambda at: f"{at.timestamp():.3f}",
}


def ordinary(count: int, stamp: Stamp = STAMPS["ISO"]) -> list[str]:
    """A second between two lines, and ninety kinds of them."""
    drawn = random.Random(7)
    return [f"{stamp(BEGIN + timedelta(seconds=place))} {drawn.choice(WORDS)} {place}" for place in range(count)]


def excerpt_of(lines: Sequence[str], budget: int, focus: Focus) -> ExcerptText:
    taking = Excerpt(budget, focus)
    taking.take("\n".join(lines).encode())
    found = taking.finish()
    assert len(found.text.encode()) + len(found.kinds.encode()) <= budget
    return found


@pytest.mark.parametrize("stamp", STAMPS.values(), ids=STAMPS.keys())
@pytest.mark.parametrize("lines_are", ["ascending", "descending", "those of two pods"])
def test_the_lines_around_the_alert_are_kept(stamp: Stamp, lines_are: str) -> None:
    log, at = ordinary(20_000, stamp), 13_337
    wanted = log[at - 3 : at + 4]
    if lines_are == "descending":
        log.reverse()
    elif lines_are == "those of two pods":
        log = [*ordinary(9_000, stamp), *log]
    focus = Focus(near=NEAR, alert_began=BEGIN + timedelta(seconds=at))
    kept = set(READABLE.sub("", excerpt_of(log, 30_000, focus).text).splitlines())
    assert [line for line in wanted if line not in kept] == []
    without = set(READABLE.sub("", excerpt_of(log, 30_000, Focus(near=NEAR)).text).splitlines())
    assert [line for line in wanted if line in without] == []


@pytest.mark.parametrize(
    "said", ["It began at 11:42:17.", "around 11:42:17?", "since 2026-11-23T11:42:17Z", "Nov 23 11:42:17"]
)
def test_the_lines_around_a_named_time_are_kept(said: str) -> None:
    log = ordinary(20_000)
    focus = Focus(near=NEAR, named=tuple(find_times(f"The first errors: {said}")))
    (wanted,) = [line for line in log if line.startswith("2026-11-23T11:42:17Z")]
    assert wanted in excerpt_of(log, 30_000, focus).text.splitlines()


def test_each_of_many_named_times_keeps_its_lines() -> None:
    log, places = ordinary(20_000), range(2_000, 18_000, 2_000)
    said = ", ".join(f"{BEGIN + timedelta(seconds=place):%H:%M:%S}" for place in places)
    kept = set(excerpt_of(log, 30_000, Focus(near=NEAR, named=tuple(find_times(said)))).text.splitlines())
    assert [place for place in places if log[place] not in kept] == []


def test_the_line_at_which_the_mix_of_kinds_changes_is_kept_with_those_before_it() -> None:
    """No line is rare, and none looks like trouble: one kind takes the place of another."""
    log = ordinary(20_000)
    for place in range(0, 20_000, 5):
        log[place] = f"{log[place][:20]} took the {'short' if place < 8_000 else 'long'} way {place}"
    kept = set(excerpt_of(log, 30_000, Focus(near=NEAR)).text.splitlines())
    assert [line for line in (*log[7_995:8_002],) if line not in kept] == []


def test_kinds_that_alternate_are_collapsed_with_counts_and_the_last_time() -> None:
    log = ordinary(2_000)
    for place in range(500, 1_500):
        log[place] = f"{log[place][:20]} {'ping' if place % 2 else 'pong'} {place}"
    short = excerpt_of(log, 20_000, Focus(near=NEAR))
    marks = re.findall(r"^\[(\d+) more lines that alternate like those above, until (.*)\]$", short.text, re.MULTILINE)
    assert marks
    assert all(re.fullmatch(r"08:\d\d:\d\d: \d+ of kind \d, \d+ of kind \d", told) for _, told in marks)
    shown = [line for line in short.text.splitlines() if "ping" in line or "pong" in line]
    assert sum(int(lines) for lines, _ in marks) > 10 * len(shown)


@pytest.mark.parametrize("stamped", [True, False])
def test_frequent_errors_are_counted_from_the_first_to_the_last_and_in_what_is_left_out(stamped: bool) -> None:
    log = ordinary(20_000)
    for place in range(3, 20_000, 4):
        log[place] = f"{log[place][:20]} ERROR upstream timed out for request {place}"
    if not stamped:
        log = [line[21:] for line in log]
    short = excerpt_of(log, 30_000, Focus(near=NEAR))
    span = "08:00:03 to 13:33:19" if stamped else "line 3 to line 19999"
    assert f"[kind 1: 5000 lines, {span}]" in short.kinds
    gaps = [line for line in short.text.splitlines() if "lines left out, " in line]
    assert gaps
    assert all(re.search(r"\d+ of kind 1\b", gap) for gap in gaps)


def test_spans_that_nobody_read_are_the_longest_ones_and_all_lines_are_accounted_for() -> None:
    log = ordinary(20_000)
    coverage = excerpt_of(log, 30_000, Focus(near=NEAR)).coverage
    assert coverage.lines == 20_000
    assert 100 < coverage.lines_read < 2_000
    assert (coverage.begins, coverage.ends) == ("08:00:00", "13:33:19")
    assert len(coverage.spans) == 6
    for span in coverage.spans:
        found = re.fullmatch(r"line (\d+) to line (\d+) \((\S+) to (\S+)\)", span)
        assert found
        assert log[int(found[1])][11:19] == found[3]
        assert log[int(found[2])][11:19] == found[4]


def test_lines_that_were_divided_are_not_numbered() -> None:
    letters = random.Random(7)
    log = ["".join(letters.choices("abcdefghij ", k=2_500)) for _ in range(50)]
    coverage = excerpt_of(log, 10_000, Focus(near=NEAR)).coverage
    assert all(re.fullmatch(r"\d+ % to \d+ %", span) for span in coverage.spans)


def test_a_text_that_fits_has_been_read_whole() -> None:
    short = excerpt_of(["one", "two"], 1_000, Focus(near=NEAR))
    assert short.coverage.is_whole
    assert short.kinds == ""
