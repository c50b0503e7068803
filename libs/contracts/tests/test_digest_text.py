"""The digest of a week in words: what it says, what it leaves out, and that no name can add a line or a link."""

from tarsy_contracts.api.digests.usage_digest import (
    DigestCost,
    KeyedCost,
    NamedCount,
    RatingCounts,
    SlowTool,
    UsageDigest,
)
from tarsy_contracts.api.usage import OutcomesOfAlertType, SessionOutcomes
from tarsy_contracts.digest_text import NAME_LIMIT, digest_plain_text, digest_sections

QUIET = SessionOutcomes(
    sessions=0, completed=0, failed=0, cancelled=0, p50_seconds=None, p90_seconds=None, scored=0, mean_score=None
)
BUSY = SessionOutcomes(
    sessions=12, completed=8, failed=2, cancelled=1, p50_seconds=4.25, p90_seconds=754.0, scored=5, mean_score=71.6
)
FREE = DigestCost(cost=None, cost_completeness="none", cost_before=None, cost_before_completeness="none")
EMPTY = UsageDigest(
    first="2026-11-16", last="2026-11-22", sessions=QUIET, sessions_before=QUIET, alert_types=(), session_labels=(),
    failures=(), ratings=RatingCounts(accurate=0, partly=0, wrong=0), causes=(), tools=(), unread_skills=(), cost=FREE,
    chains=(), teams=(), unpriced_models=(), memories_learned=0,
)  # fmt: skip
SPENT = DigestCost(cost=1234.5, cost_completeness="partial", cost_before=0.004, cost_before_completeness="complete")
FULL = EMPTY.model_copy(
    update={
        "sessions": BUSY,
        "sessions_before": BUSY.model_copy(update={"sessions": 9, "mean_score": 80.0}),
        "alert_types": (OutcomesOfAlertType(alert_type="disk", **BUSY.model_dump()),),
        "session_labels": (NamedCount(name="noise", count=3),),
        "failures": (NamedCount(name="401", count=2),),
        "ratings": RatingCounts(accurate=2, partly=0, wrong=1),
        "causes": (NamedCount(name="A full disk.", count=1),),
        "tools": (SlowTool(server="loki", tool="query", calls=1, p90_seconds=7_300.0),),
        "unread_skills": (NamedCount(name="vault", count=4),),
        "cost": SPENT,
        "chains": (KeyedCost(key="", **SPENT.model_dump()),),
        "unpriced_models": ("m1", "m2"),
        "memories_learned": 1,
    }
)


def test_a_week_says_what_ended_how_and_what_it_cost_beside_the_week_before() -> None:
    assert (
        digest_plain_text(FULL)
        == """\
The week from 2026-11-16 to 2026-11-22 (UTC)

Alerts investigated
  12, the week before 9
  8 completed, 2 failed, 1 cancelled, 1 not ended
  half of them took at most 4.2 s, nine in ten 13 min
  mean score 72 of 100 (5 scored), the week before 80

Alert types
  disk: 12, 2 failed

Causes
  rated by people: 2 accurate, 0 partly, 1 wrong
  real cause: A full disk. (1)
  label: noise (3)
  failed by: 401 (2)

Slow tools
  loki.query: p90 2.0 h (1 call)

Skills that nobody read
  vault: offered to 4 agents

Money
  all: at least $1,234.50, the week before < $0.01
  chain not named: at least $1,234.50, the week before < $0.01
  without a price: m1, m2

Learnt
  1 memory
"""
    )


def test_of_a_week_without_alerts_only_that_is_said() -> None:
    assert [(one.title, one.lines) for one in digest_sections(EMPTY)] == [
        ("Alerts investigated", ("0, the week before 0",)),
        ("Money", ("all: nothing known, the week before nothing known",)),
    ]


def test_a_name_stays_on_its_line_and_is_cut_and_no_terminal_obeys_it() -> None:
    hostile = NamedCount(name="first \n\nMoney\x1b[2J\u202e" + "a" * 1_000, count=1)
    text = digest_plain_text(EMPTY.model_copy(update={"causes": (hostile,)}))
    (line,) = [one for one in text.splitlines() if "first" in one]
    assert line.startswith("  real cause: first Money [2J aaa")
    assert len(line) < NAME_LIMIT + 40
    assert not {"\x1b", "\u202e"} & set(text)
