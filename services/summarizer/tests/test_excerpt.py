import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_summarizer.excerpt import excerpt

lines = st.sampled_from(
    ["all is well", "request 17 took 12 ms", "ERROR cannot connect", "fatal: é漢", "", "x" * 3000, "Caused by: 漢" * 40]
)


@settings(deadline=None)
@given(st.lists(lines, max_size=80).map("\n".join), st.integers(1_000, 6_000))
def test_it_never_exceeds_its_budget(text: str, budget: int) -> None:
    assert len(excerpt(text, budget).encode()) <= budget


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


def test_a_run_of_alike_lines_is_collapsed_with_its_count() -> None:
    text = "\n".join(["start", *(f"retry {number} in 5 s" for number in range(500)), "end"])
    assert excerpt(text, 1_000) == "start\nretry 0 in 5 s\n[499 more lines like this one]\nend"


def test_the_mark_says_how_many_lines_were_left_out() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [f"{first} {second} {third}" for first in letters for second in letters for third in "xyz"]
    short = excerpt("\n".join(words), 1_000).splitlines()
    (place,) = [index for index, line in enumerate(short) if line.startswith("[")]
    head, tail = short[:place], short[place + 1 :]
    assert short[place] == f"[{len(words) - len(head) - len(tail)} lines left out]"
    assert (words[: len(head)], words[-len(tail) :]) == (head, tail)


def test_one_endless_line_keeps_its_beginning_its_end_and_its_trouble() -> None:
    letters = random.Random(7)
    text = "".join(letters.choice("abcdefg ,") for _ in range(200_000))
    text = "{begin " + text[:100_000] + " FATAL: disk is full " + text[100_000:] + " end}"
    short = excerpt(text, 10_000)
    assert short.startswith("{begin")
    assert short.endswith("end}")
    assert "FATAL: disk is full" in short
