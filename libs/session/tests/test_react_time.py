"""A model's answer is read in a bounded number of steps: nobody else is served meanwhile."""

import re
from collections.abc import Callable
from time import thread_time

import pytest

from tarsy_contracts import near_json
from tarsy_session.controllers.react.parsing import MOST_READ, extract_conclusion, parse_answer
from tarsy_testing.story.story import DELETE, READ

CALL = "Thought: x\nAction: kubernetes__pods_list\nAction Input: "
UNKNOWN = "Action: zzz\nAction Input: "
TOKENS = 150_000
"""About 100 ms."""


class Counted:
    def __init__(self, expression: re.Pattern[str]) -> None:
        self.count = 0
        self._expression = expression

    def match(self, text: str, position: int) -> re.Match[str] | None:
        self.count += 1
        return self._expression.match(text, position)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 250_000,
        CALL + "{" * 250_000,
        f"Action: {'{' * 250_000}",
        CALL + '{"a": 1, ' * 28_000,
        CALL + "{a:" * 80_000,
        f"{UNKNOWN}{{\n" * 9_000,
        (f"{UNKNOWN}{{{'a: 1, ' * 3_500}\n") * 12,
        CALL + "{" + "a: 1, " * 40_000,
    ],
)
def test_brackets_without_end_are_not_followed_to_the_end_again_and_again(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Counted(near_json.TOKEN)
    monkeypatch.setattr(near_json, "TOKEN", tokens)
    parse_answer(text, (READ, DELETE))
    extract_conclusion(text)
    assert tokens.count <= TOKENS


@pytest.mark.timing
@pytest.mark.parametrize(
    "text",
    [
        lambda n: f"{CALL}x {'`' * n}y",
        lambda n: f"{CALL}```json\n[{'`' * n}y",
        lambda n: f"{CALL}x ```{' ' * n}y",
        lambda n: f"Final Answer: \n```\nx {'`' * n}y",
        lambda n: "Final Answer: ```\nx" + " \n" * (n // 2) + "``",
        lambda n: f"Action: none\n{'`' * n}y",
    ],
)
def test_marks_and_blanks_take_time_in_proportion(text: Callable[[int], str]) -> None:
    """What takes the square of the length takes sixteen times as long here."""

    def seconds(length: int) -> float:
        whole = text(length)
        began = thread_time()
        parse_answer(whole, (READ, DELETE))
        extract_conclusion(whole)
        return thread_time() - began

    size = MOST_READ // 4
    short, long = (min(seconds(length) for _ in range(5)) for length in (size, 4 * size))
    assert long < 9 * short + 0.01


def test_a_final_answer_is_read_to_its_end_however_long_it_is() -> None:
    analysis = "the cause is X. " * 10_000 + "So it is."
    assert parse_answer(f"Thought: enough\nFinal Answer: {analysis}", (READ,)).final_answer == analysis
    assert extract_conclusion(f"Thought: enough\nFinal Answer: {analysis}") == analysis


def test_a_long_input_that_is_json_is_read() -> None:
    rows = ", ".join(f'"k{number}": {number}' for number in range(4_500))
    call = parse_answer(f"{CALL}{{{rows}}}", (READ,)).call
    assert call is not None
    assert len(call.arguments) == 4_500
