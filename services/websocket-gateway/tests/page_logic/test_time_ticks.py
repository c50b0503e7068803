"""Where the time axis of a waterfall has its ticks."""

from itertools import pairwise

import pytest

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([page, spans]) => {
  const { timeScale } = await import(`${page}/state/time_scale.js`);
  const { timeTicks } = await import(`${page}/state/time_ticks.js`);
  return timeTicks(timeScale(spans));
}"""
MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def ticks(node: Node, *spans: tuple[int, int]) -> list[tuple[float, int]]:
    found = node.evaluate(SCRIPT, [PAGE, [{"from": begin, "until": end} for begin, end in spans]])
    return [(one["place"], one["elapsed"]) for one in found]


@pytest.mark.parametrize(
    ("length", "step"), [(6_000, 1_000), (60_000, 10_000), (3 * MINUTE, 30_000), (6 * 60 * MINUTE, 60 * MINUTE)]
)
def test_ticks_stand_at_round_times_since_the_beginning(node: Node, length: int, step: int) -> None:
    found = ticks(node, (1_700_000_000_123, 1_700_000_000_123 + length))
    assert [elapsed for _, elapsed in found] == [number * step for number in range(7)]
    assert [round(place) for place, _ in found] == [0, 167, 333, 500, 667, 833, 1000]


@pytest.mark.parametrize(
    "spans",
    [
        ((0, 7),), ((0, MINUTE), (3 * DAY, 3 * DAY + MINUTE)), ((0, 400 * DAY),),
        tuple((number * DAY, number * DAY + 900) for number in range(300)),
    ],
)  # fmt: skip
def test_few_ticks_stand_apart_whatever_ran(node: Node, spans: tuple[tuple[int, int], ...]) -> None:
    found = [place for place, _ in ticks(node, *spans)]
    assert 1 <= len(found) <= 7
    assert all(0 <= place <= 1000 for place in found)
    assert all(later - earlier >= 90 for earlier, later in pairwise(found))


def test_nothing_that_ran_has_no_axis(node: Node) -> None:
    assert ticks(node) == []


@pytest.mark.parametrize(
    ("elapsed", "words"),
    [
        (0, "0"),
        (5_000, "+5 s"),
        (MINUTE, "+1 min"),
        (90_000, "+1 min 30 s"),
        (60 * MINUTE, "+1 h"),
        (90 * MINUTE, "+1 h 30 min"),
    ],
)
def test_a_tick_says_how_long_after_the_beginning(node: Node, elapsed: int, words: str) -> None:
    script = "async ([path, elapsed]) => (await import(path)).tickWords(elapsed)"
    assert node.evaluate(script, [f"{PAGE}/words/waterfall_words.js", elapsed]) == words
