"""What excerpts keep of logs with planted turning points: `python benchmarks/excerpts.py [--draws 5] [--missed]`.

Ten logs of different makers. Each has one to three lines that explain its incident; in most of them no word of these
lines says trouble. Whoever wrote them had not seen how excerpts are made.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from planted_logs import LOGS
from saying import load_told, say

from tarsy_summarizer.settings import SummarizerSettings
from tarsy_summary_prompt.excerpt import Excerpt
from tarsy_summary_prompt.focus import Focus

LINES = (3_000, 12_000, 100_000)
BYTES_PER_TOKEN = 3.5
DEFAULT = SummarizerSettings.model_fields["summary_input_bytes"].default
BUDGETS = (DEFAULT // 4, DEFAULT // 2, DEFAULT, DEFAULT * 2)
READABLE_TIME = re.compile(r" \[= [^]]* UTC\]")
READ_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""After all of them."""


@dataclass(frozen=True, slots=True)
class Kept:
    log: str
    whole: bool
    size: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5, help="how often each log is made anew")
    parser.add_argument("--missed", action="store_true", help="name the logs whose turning points were lost")
    parser.add_argument("--untold", action="store_true", help="do not tell the excerpts when the alert began")
    given = parser.parse_args()
    with load_told():
        for count in LINES:
            for budget in BUDGETS:
                found = list(measure(count, budget, given.draws, told=not given.untold))
                say(f"{count} lines, {budget} bytes: {report(found)}")
                if given.missed and (missed := sorted({one.log for one in found if not one.whole})):
                    say(f"    missed: {', '.join(missed)}")


def measure(count: int, budget: int, draws: int, *, told: bool) -> Iterator[Kept]:
    """`told`: whether the excerpt knows when the alert began."""
    for name, make in LOGS.items():
        for draw in range(draws):
            log = make(count, random.Random(f"{name} {draw}"))
            short = shorten("\n".join(log.lines), budget, log.began if told else None)
            kept = set(READABLE_TIME.sub("", short).splitlines())
            yield Kept(name, all(line in kept for line in log.turning_points), len(short))


def shorten(text: str, budget: int, alert_began: datetime | None) -> str:
    """All that the model reads of it."""
    excerpt = Excerpt(budget, Focus(near=READ_AT, alert_began=alert_began))
    excerpt.take(text.encode())
    short = excerpt.finish()
    return f"{short.text}\n{short.kinds}"


def report(found: Sequence[Kept]) -> str:
    whole = sum(one.whole for one in found)
    tokens = sum(one.size for one in found) / len(found) / BYTES_PER_TOKEN
    return f"{whole} of {len(found)} turning points kept ({100 * whole / len(found):.0f} %), {tokens:,.0f} tokens a log"


if __name__ == "__main__":
    main()
