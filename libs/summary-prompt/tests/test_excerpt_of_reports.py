"""Lines that report numbers now and then: they tell how it came about, between crowds of warnings."""

import random
from datetime import UTC, datetime

import pytest

from tarsy_summary_prompt.excerpt import Excerpt
from tarsy_summary_prompt.focus import Focus

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
SUBJECTS = ("cache", "queue", "shard", "lease", "cursor", "socket", "worker", "ledger", "index", "bucket")
COUNT = 12_000
EVERY = 100
BUDGET = 20_000

REPORTS = {
    "logfmt": "pool: active={} idle=0 waiting={}",
    "JSON": '{{"level":"info","pool":{{"active":{},"idle":0,"waiting":{}}}}}',
    "a sentence": "the pool has {} connections and {} waiters",
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_reports_of_numbers_between_crowds_of_warnings_are_kept_from_all_parts(report: str) -> None:
    log = crowded()
    stats = {at: report.format(at // EVERY, at) for at in range(50, COUNT, EVERY)}
    for at, line in stats.items():
        log[at] = line
    short = shorten(log)
    kept = [at for at, line in stats.items() if line in short]
    assert {at * 8 // COUNT for at in kept} == set(range(8))


def test_each_kind_of_trouble_is_shown_from_all_parts_of_the_text() -> None:
    log = [f"WARN {SUBJECTS[number % 2]} is slow {number}" for number in range(COUNT)]
    kept = shorten(
        [line for warning in log for line in (warning, f"{random.Random(warning).choice(SUBJECTS)} is well")]
    )
    for subject in SUBJECTS[:2]:
        parts = {number * 8 // COUNT for number, line in enumerate(log) if subject in line and line in kept}
        assert parts == set(range(8))


def crowded() -> list[str]:
    drawn = random.Random(5)
    return [
        f"WARN {drawn.choice(SUBJECTS)} {number} of {drawn.choice(SUBJECTS)} is slow: timed out, retrying"
        if drawn.random() < 0.4
        else f"{drawn.choice(SUBJECTS)} of {drawn.choice(SUBJECTS)} is served"
        for number in range(COUNT)
    ]


def shorten(log: list[str]) -> set[str]:
    excerpt = Excerpt(BUDGET, Focus(near=NEAR))
    excerpt.take("\n".join(log).encode())
    return set(excerpt.finish().text.splitlines())
