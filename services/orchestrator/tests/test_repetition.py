import random
import time
from base64 import b64encode

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tarsy_orchestrator.effects.repetition import EACH, LONGEST, TIMES, RepetitionDetector

SENTENCE = "I should look at the pods of the namespace again, to be sure. "
PARAGRAPH = (
    "\n\nThe pod web-1 restarts because its memory is too small. " + "Its limit is 64Mi, and it asks for more. " * 3
)


def repeats(text: str, *, piece: int = 7) -> bool:
    """What is said at the end of a stream that comes in pieces."""
    repetition = RepetitionDetector()
    return [repetition.take(text[start : start + piece]) for start in range(0, len(text), piece)][-1]


def prose(length: int, seed: int = 0) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz     .\n") for _ in range(length))


@pytest.mark.parametrize(
    "unit",
    [
        SENTENCE,
        PARAGRAPH,
        "pod restarts, " * 3,
        "メモリが足りないのでポッドが再起動を繰り返しているようです。もう一度見ます。",
    ],
)
def test_what_is_said_again_and_again_is_found(unit: str) -> None:
    assert repeats(prose(3_333) + unit * 100)


def test_a_unit_may_say_a_part_of_itself_twice() -> None:
    assert repeats((SENTENCE + "But first I read the log of the other one. " + SENTENCE) * 40)


def test_it_is_found_at_the_next_look_and_stays_found() -> None:
    repetition = RepetitionDetector()
    assert not repetition.take(prose(EACH - TIMES * len(SENTENCE)))
    assert not repetition.take((SENTENCE * TIMES)[:-1])
    assert repetition.take(SENTENCE[-1])
    assert repetition.take("and now something else")


def test_four_times_is_no_repetition() -> None:
    assert not repeats(prose(EACH - 4 * len(SENTENCE)) + SENTENCE * 4)
    assert repeats(prose(EACH - 5 * len(SENTENCE)) + SENTENCE * 5)


def test_a_unit_may_have_500_characters_and_not_more() -> None:
    assert repeats(prose(LONGEST) * 12)
    assert not repeats(prose(LONGEST + 1) * 12)


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "\n",
        "-",
        "=-",
        "| --- | --- |\n",
        "+------+------+\n|      |      |\n",
        "0 ",
        "0x00, ",
        "█░",
        "na na ",
        "\t\t}\n",
    ],
)
def test_blanks_and_rules_and_borders_may_repeat(unit: str) -> None:
    assert not repeats(prose(100) + (unit * 10_000)[:9_900])


@pytest.mark.parametrize("unit", ["word ", "the ", "error ", "no no ", "0", "a", " ", "\n", "-", "ない", "| --- |\n"])
@pytest.mark.parametrize("piece", [1, 7, 4_096])
def test_one_word_or_character_for_ever_is_found(unit: str, piece: int) -> None:
    assert repeats(prose(3_333) + (unit * 16_000)[:16_000], piece=piece)


@pytest.mark.parametrize(
    "line",
    [
        "| {0} | 0.00 | 0.00 | 0.00 | 0.00 |\n",
        "{0:08x}: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n",
        "  - name: pod-{0}\n    replicas: 1\n    enabled: true\n",
        "2026-11-22T07:00:00.{0:06}Z level=error msg=error error error\n",
        '  File "/app/worker.py", line {0}, in run\n    return run(run, run)\n',
        "-------------------- {0} --------------------\n",
        "{0} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
    ],
)
def test_long_tables_dumps_and_logs_are_no_repetition(line: str) -> None:
    assert not repeats("".join(line.format(number) for number in range(1_000)))


@pytest.mark.parametrize("seed", range(5))
def test_base64_is_no_repetition(seed: int) -> None:
    assert not repeats(b64encode(random.Random(seed).randbytes(12_000)).decode())


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-22T07:{:02}:{:02}Z web-1 connection to the database refused, trying again\n",
        "- pod web-{}{} restarts because of its memory\n",
        "| web-{} | CrashLoopBackOff | {} restarts | out of memory |\n",
        '{{"pod": "web-{}", "restarts": {}, "reason": "OOMKilled"}},\n',
    ],
)
def test_lines_that_differ_a_little_are_no_repetition(line: str) -> None:
    assert not repeats("".join(line.format(number // 60, number % 60) for number in range(200)))


def test_who_has_stopped_repeating_is_not_stopped() -> None:
    assert not repeats(prose(200) + SENTENCE * 12 + prose(6_000 - 200 - 12 * len(SENTENCE)))


units = st.text(min_size=30, max_size=LONGEST).filter(
    lambda unit: sum(char.isalnum() for char in set(unit.casefold())) >= 12
)


@settings(deadline=None)
@given(units, st.text(max_size=300), st.integers(1, 3_000))
def test_every_unit_is_found_wherever_the_stream_cuts_it(unit: str, before: str, piece: int) -> None:
    text = before + unit * (2 * EACH // len(unit) + TIMES)
    assert repeats((text + unit * LONGEST)[: 3 * EACH], piece=piece)


@settings(deadline=None)
@given(
    st.integers(),
    st.integers(1, 3_000),
    st.sampled_from(("ab", "0123456789abcdef", "abcdefghijklmnop \n", "é漢🙂 abcdefgh")),
)
def test_random_text_is_never_found(seed: int, piece: int, alphabet: str) -> None:
    chance = random.Random(seed)
    assert not repeats("".join(chance.choice(alphabet) for _ in range(8_000)), piece=piece)


@settings(deadline=None)
@given(units, st.integers(0, 29), st.characters(), st.integers(1, 3_000))
def test_one_character_that_differs_in_each_is_enough(unit: str, place: int, other: str, piece: int) -> None:
    """Each time another one: 300 of them, so that no two in a row are the same."""
    assume(len(unit) <= 60)
    text = "".join(unit[:place] + chr(0x4E00 + number) + other + unit[place:] for number in range(300))
    assert not repeats(text, piece=piece)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from((SENTENCE, PARAGRAPH, "a", "other words ")), max_size=60).map("".join), st.integers(1, 500)
)
def test_how_the_stream_is_cut_makes_no_difference(text: str, piece: int) -> None:
    assume(text)
    assert repeats(text, piece=piece) == repeats(text, piece=len(text))


@pytest.mark.timing
@pytest.mark.parametrize("unit", ["a", "abc ", "abcdefghijklmnopqrstuvwxyz0123" * 4 + "x", " " * 29 + "x"])
def test_a_long_text_takes_about_as_much_longer_as_it_is_longer(unit: str) -> None:
    def seconds(length: int) -> float:
        text = "".join(f"{unit * 20}{number}" for number in range(length // len(unit) // 20))
        began = time.process_time()
        RepetitionDetector().take(text)
        return time.process_time() - began

    short = min(seconds(50_000) for _ in range(3))
    assert min(seconds(500_000) for _ in range(3)) < 10 * 4 * max(short, 0.002)
