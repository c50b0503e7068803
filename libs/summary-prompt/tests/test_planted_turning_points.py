"""Excerpts keep the lines that explain an incident, in logs of ten makers who had not seen how excerpts are made.

In most of these logs no word of the turning point means trouble.
"""

import random
import re
from datetime import UTC, datetime

import pytest

from tarsy_summary_prompt.excerpt import Excerpt
from tarsy_summary_prompt.focus import Focus
from tarsy_testing.story.planted_logs import LOGS, PlantedLog

LINES = 3_000
BUDGET = 18_750
"""A quarter of what a summarizer reads of a result where nothing else is set."""
READABLE_TIME = re.compile(r" \[= [^]]* UTC\]")
READ_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""After all of them."""


def excerpt_of(log: PlantedLog) -> set[str]:
    excerpt = Excerpt(BUDGET, Focus(near=READ_AT, alert_began=log.began))
    excerpt.take("\n".join(log.lines).encode())
    short = excerpt.finish()
    return set(READABLE_TIME.sub("", f"{short.text}\n{short.kinds}").splitlines())


@pytest.mark.parametrize("maker", LOGS)
def test_the_lines_that_explain_an_incident_are_kept_in_a_small_excerpt(maker: str) -> None:
    log = LOGS[maker](LINES, random.Random(f"{maker} 0"))
    kept = excerpt_of(log)
    assert len(kept) < LINES // 2
    assert [line for line in log.turning_points if line not in kept] == []
