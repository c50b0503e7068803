"""Numbers that count since 1970 have a readable time beside them, within the budget."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.focus import Focus

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
BEGAN = 1_795_040_000
READABLE = re.compile(r" \[= [0-9-]{10} [0-9:.]{12} UTC\]")

stamped = st.builds(
    '{{"ts":{},"msg":"{} is {}"}}'.format,
    st.integers(BEGAN, BEGAN + 9_000).map(lambda second: second * 1000),
    st.text("abcdefgh", min_size=1, max_size=5),
    st.text("qrstuvw", min_size=1, max_size=5),
)


def test_a_text_that_fits_has_readable_times() -> None:
    found = shorten('{"values":[[1795040000,"1"],[1795040060,"7"]]}\n{"bytes":1795040000}', 2_000)
    assert found.text == (
        '{"values":[[1795040000 [= 2026-11-18 22:13:20.000 UTC],"1"],[1795040060 [= 2026-11-18 22:14:20.000 UTC],"7"]]}'
        '\n{"bytes":1795040000}'
    )


@pytest.mark.parametrize("count", [300, 3_000])
def test_times_that_are_too_many_are_readable_in_all_parts_of_the_excerpt(count: int) -> None:
    text = "\n".join(f'{{"ts":{(BEGAN + second) * 1000},"msg":"{"ab"[second % 7 % 2]}"}}' for second in range(count))
    short = shorten(text, 8_000).text
    parts = {found.start() * 8 // len(short) for found in READABLE.finditer(short)}
    assert parts == set(range(8))


@settings(deadline=None)
@given(st.lists(stamped, max_size=80).map("\n".join), st.integers(1_000, 6_000))
def test_the_budget_holds_and_nothing_else_changes(text: str, budget: int) -> None:
    found = shorten(text, budget)
    assert len(found.text.encode()) + len(found.kinds.encode()) <= budget
    lines = set(text.split("\n"))
    assert all(line in lines or line.startswith("[") for line in READABLE.sub("", found.text).split("\n"))


def shorten(text: str, budget: int) -> ExcerptText:
    excerpt = Excerpt(budget, Focus(near=NEAR))
    excerpt.take(text.encode())
    return excerpt.finish()
