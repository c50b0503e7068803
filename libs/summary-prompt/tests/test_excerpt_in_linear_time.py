"""An excerpt takes time in proportion to the text, whatever its lines: others decide what they hold."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.focus import Focus
from tarsy_testing.linear_time import assert_linear

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
FOCUS = Focus(near=NOON, alert_began=NOON)
BUDGET_BYTES = 8_000
SMALL = 60_000
"""Well above the budget, so that also the smaller of two texts is cut."""
LETTERS = "ghijklmnop"

LINES: dict[str, Callable[[int], str]] = {
    "alike": lambda _: "retry in 5 s\n",
    "two kinds that alternate": lambda n: f"{'ping' if n % 2 else 'pong'} from peer {n}\n",
    "seven kinds that alternate": lambda n: f"step {LETTERS[n % 7]} of {n}\n",
    "a kind each": lambda n: f"fail {''.join(LETTERS[int(digit)] for digit in str(n))}\n",
    "trouble each": lambda n: f"ERROR {n}: connection refused by {LETTERS[n % 10]}\n",
    "of one letter": lambda n: f"{LETTERS[n % 2]}\n",
    "without a letter": lambda n: f"{n}\n",
    "empty": lambda _: "\n",
    "ids grown into words": lambda n: f"{n:08}fail x{n}\n",
    "of a second each": lambda n: f"{NOON + timedelta(seconds=n):%Y-%m-%dT%H:%M:%SZ} served {n}\n",
    "stamped backwards": lambda n: f"{NOON - timedelta(seconds=n):%Y-%m-%dT%H:%M:%SZ} served {n}\n",
    "half stamps": lambda n: f"10:{n % 60:02}: 10:{n % 60:02} Nov 23 1\n",
    "of a trace": lambda n: f"Caused by: at frame {n}\n    at {LETTERS[n % 10]}({n})\n",
    "in one": lambda n: f"{LETTERS[n % 10]}{n} ",
    "of blanks": lambda _: " " * 50 + "\n",
    "JSON": lambda n: f'{{"ts": {1_795_000_000 + n}, "level": "info", "changed": {{"{LETTERS[n % 10]}": {n}}}}},\n',
    "a mix that changes": lambda n: f"{'cache miss' if (n // 500) % 2 else 'cache hit'} for key {n}\n",
}


@pytest.mark.timing
@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_an_excerpt_takes_linear_time(line: Callable[[int], str]) -> None:
    assert_linear(lambda size: shorten(text_of(line, size)), small=SMALL)


def text_of(line: Callable[[int], str], size: int) -> bytes:
    return "".join(line(number) for number in range(size // len(line(0)))).encode()


def shorten(text: bytes) -> ExcerptText:
    excerpt = Excerpt(BUDGET_BYTES, FOCUS)
    excerpt.take(text)
    return excerpt.finish()
