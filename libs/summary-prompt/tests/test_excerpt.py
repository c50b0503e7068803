import random
import re
import tracemalloc
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.focus import Focus
from tarsy_summary_prompt.line_kinds import LineKinds, Weight
from tarsy_summary_prompt.line_splitter import LineSplitter

lines = st.sampled_from(
    ["all is well", "request 17 took 12 ms", "ERROR cannot connect", "fatal: é漢", "", "x" * 3000, "Caused by: 漢" * 40]
)


NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
FOCUS = Focus(near=NEAR)


def excerpt_of(text: str, budget: int, focus: Focus = FOCUS, *, piece: int = 512 * 1024) -> ExcerptText:
    taking, data = Excerpt(budget, focus), text.encode()
    for start in range(0, len(data), piece):
        taking.take(data[start : start + piece])
    return taking.finish()


def excerpt(text: str, budget: int, focus: Focus = FOCUS, *, piece: int = 512 * 1024) -> str:
    return excerpt_of(text, budget, focus, piece=piece).text


@settings(deadline=None)
@given(st.lists(lines, max_size=80).map("\n".join), st.integers(1_000, 6_000))
def test_it_never_exceeds_its_budget(text: str, budget: int) -> None:
    found = excerpt_of(text, budget)
    assert len(found.text.encode()) + len(found.kinds.encode()) <= budget


def test_what_fits_is_left_alone() -> None:
    text = "same\n" * 10
    assert excerpt(text, 1_000) == text


def test_the_cause_deep_inside_a_hundred_thousand_lines_of_trouble_survives() -> None:
    noise = random.Random(7)
    routine = [
        lambda n: f"2026-11-22T10:{n % 60:02}:00Z INFO request {n} served in {noise.randrange(900)} ms",
        lambda n: f"2026-11-22T10:{n % 60:02}:00Z WARN slow query {n}",
        lambda n: f"2026-11-22T10:{n % 60:02}:00Z ERROR upstream timed out for request {n}, retrying",
        lambda n: f"2026-11-22T10:{n % 60:02}:00Z ERROR health check {n} failed",
    ]
    log = [noise.choice(routine)(number) for number in range(100_000)]
    log[61_803] = "2026-11-22T10:03:00Z FATAL config: DATABASE_HOST resolves to nothing: no such host db-primary.shop"
    log[61_804] = "    at Config.load(config.py:42)"

    short = excerpt("\n".join(log), 20_000)

    assert len(short.encode()) <= 20_000
    assert "no such host db-primary.shop\n    at Config.load(config.py:42)" in short
    assert short.startswith(log[0])
    assert short.endswith(log[-1])
    assert "lines left out]" in short


def test_a_cause_without_a_grave_word_survives_because_it_is_rare() -> None:
    log = [f"E1122 panic in worker {number}: killed" if number % 2 else f"fine {number}" for number in range(50_000)]
    log[30_000] = "reading /etc/app/license.pem: invalid date"
    assert "license.pem: invalid date" in excerpt("\n".join(log), 10_000)


def test_the_one_grave_line_survives_among_hundreds_of_kinds_of_trouble_that_come_once() -> None:
    drawn = random.Random(3)
    words = ["".join(drawn.choice("abcdefghij") for _ in range(7)) for _ in range(40_000)]
    log = [f"WARN slow query on {word}" if number % 60 == 0 else f"GET /{word}" for number, word in enumerate(words)]
    log[31_000] = "ERROR the kernel will kill this process (OOMKilled, exit code 137)"
    assert log[31_000] in excerpt("\n".join(log), 20_000).splitlines()


HEALTHY = (
    lambda n: f'{{"level":"info","msg":"request served","path":"/api/items/{n}","status":200,"ms":{n % 90}}}',
    lambda n: f'{{"level":"info","msg":"cache hit","key":"item-{n}"}}',
    lambda n: f'{{"level":"warn","msg":"slow query","ms":{n % 900}}}',
)


@pytest.mark.parametrize(
    "news",
    [
        '{"level":"info","msg":"configuration loaded","changed":{"cache.ttl":"1h0m0s -> 36s"}}',
        "deployment.apps/checkout configured",
        "leader election: lost the lease to node-7",
    ],
)
@pytest.mark.parametrize("at", [700, 2_500, 4_300])
def test_a_line_of_a_kind_that_comes_once_among_thousands_survives_whatever_its_words(news: str, at: int) -> None:
    drawn = random.Random(at)
    log = [drawn.choice(HEALTHY)(number) for number in range(5_000)]
    log[at] = news
    assert news in excerpt("\n".join(log), 10_000).splitlines()


def test_rare_lines_that_are_too_many_are_kept_from_all_parts_of_the_text() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [f"{one}{two}{three} said" for one in letters for two in letters for three in letters]
    log = [line for word in words for line in (word, "request served", "cache hit")]
    short = excerpt("\n".join(log), 20_000)
    kept = [place for place, word in enumerate(words) if f"\n{word}\n" in short]
    tenths = {place * 10 // len(words) for place in kept}
    assert tenths == set(range(10))


def test_a_run_of_alike_lines_is_collapsed_with_its_count() -> None:
    text = "\n".join(["start", *(f"retry {number} in 5 s" for number in range(500)), "end"])
    assert excerpt(text, 1_000) == "start\nretry 0 in 5 s\n[499 more lines like this one]\nend"


def test_the_mark_says_how_many_lines_were_left_out() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    # Each comes three times, so none is rare.
    words = [f"{first} {second} {third}" for first in letters for second in letters for third in "xyz"] * 3
    short = excerpt("\n".join(words), 1_000).splitlines()
    marks = [line for line in short if line.startswith("[")]
    left_out = [int(count) for count in re.findall(r"^\[(\d+) lines left out\]$", "\n".join(short), re.MULTILINE)]
    assert len(left_out) == len(marks)
    assert len(short) - len(marks) + sum(left_out) == len(words)
    assert short[0] == words[0]


def test_where_nothing_stands_out_passages_of_all_parts_are_kept() -> None:
    log = [line for number in range(2_000) for line in (f"request {number} served", f"cache hit {number}")]
    kept = [int(line.split()[1]) for line in excerpt("\n".join(log), 20_000).splitlines() if "served" in line]
    assert {number // 200 for number in kept} == set(range(10))


def test_one_endless_line_keeps_its_beginning_its_end_and_its_trouble() -> None:
    letters = random.Random(7)
    text = "".join(letters.choice("abcdefg ,") for _ in range(200_000))
    text = "{begin " + text[:100_000] + " FATAL: disk is full " + text[100_000:] + " end}"
    short = excerpt(text, 10_000)
    assert short.startswith("{begin")
    assert short.endswith("end}")
    assert "FATAL: disk is full" in short


BREAKS = ("\n", "\n", "\r\n", "\r", "\u2028")
parts = st.sampled_from(["ERROR 17 ", "fatal ", "1234567fail ", "漢", "x" * 999, "x" * 1001, "0a1b2c3d4e5f ", *BREAKS])


@settings(deadline=None)
@given(st.lists(parts, max_size=60).map("".join), st.integers(1, 3_000))
def test_how_it_is_cut_into_pieces_changes_nothing(text: str, piece: int) -> None:
    assert excerpt(text, 1_000, piece=piece) == excerpt(text, 1_000)


@settings(deadline=None)
@given(st.lists(parts, max_size=30).map("".join))
def test_lines_end_where_python_says_and_long_ones_become_several(text: str) -> None:
    splitter = LineSplitter()
    lines = [line for character in text for line in splitter.take(character)] + splitter.rest()
    assert lines == [line[n : n + 1000] for line in text.splitlines() for n in range(0, max(len(line), 1), 1000)]


@pytest.mark.parametrize(
    ("line", "weight"),
    [
        ("all is well", Weight.NONE),
        ("No Such Host", Weight.TROUBLE),
        ("Can't open it", Weight.TROUBLE),
        ("E1122 11:22:33.4 proxier.go", Weight.TROUBLE),
        ("E112 proxier.go", Weight.NONE),
        ("x509: certificate signed by unknown authority", Weight.GRAVE),
        ("x123: certificate", Weight.NONE),
        ("12345678fail", Weight.TROUBLE),
        ("12345678crib", Weight.NONE),
        ("beefdeadlock", Weight.GRAVE),
        ("the room is full", Weight.NONE),
        ("OOMKilled", Weight.GRAVE),
        ("error, then a panic", Weight.GRAVE),
    ],
)
def test_each_line_has_the_weight_of_its_own_words(line: str, weight: Weight) -> None:
    """Also after another one of the same kind: its weight is remembered by its shape."""
    kinds = LineKinds()
    kinds.of(["E1122 x", "E1 x", "x509: certificate", "x510: certificate", "12345678crib", "12345678fail", "beefdead"])
    assert kinds.of([line])[0].weight is weight


def allocated(text: bytes) -> int:
    """The most bytes that an excerpt of the text takes, besides the text."""
    tracemalloc.start()
    try:
        taking = Excerpt(10_000, FOCUS)
        for start in range(0, len(text), 64 * 1024):
            taking.take(text[start : start + 64 * 1024])
        taking.finish()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("unit", [b"%d request served, and all is well in room %d\n", b"WARN it is %d\nand %d\n"])
def test_it_takes_no_more_memory_than_a_few_times_the_text(unit: bytes) -> None:
    text = b"".join(unit % (number, number) for number in range(10_000))
    assert allocated(text) < 3 * len(text) + 4 * 1024 * 1024
