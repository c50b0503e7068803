"""`tarsy budgets`: each budget with its limits, what is spent of it today, and what follows, on one screen."""

import io
import json
from datetime import datetime

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tarsy_cli.api import ApiAnswer
from tarsy_cli.app import cli
from tarsy_cli.lists import budgets as listing
from tarsy_cli.lists.budgets import print_budgets
from tarsy_contracts.api.budgets import BudgetLimit, BudgetReport, BudgetStatus

MONEY = BudgetLimit(resource="money", limit=50.0, soft_limit=40.0, spent=43.5, state="warned")
CALLS = BudgetLimit(resource="calls", limit=100, soft_limit=None, spent=100, state="met")
TOKENS = BudgetLimit(resource="tokens", limit=5_000_000, soft_limit=4_000_000, spent=None, state=None)
REPORT = BudgetReport(
    day="2026-11-22",
    time_zone="Europe/Berlin",
    resets_at="2026-11-22T23:00:00.000Z",
    budgets=(
        BudgetStatus(scope="day", at_end="ask", limits=(MONEY, CALLS), state="met", calls=100, unpriced_calls=2),
        BudgetStatus(
            scope="team/pay\x1b[2Jments", at_end="stop", limits=(TOKENS,), state=None, calls=None, unpriced_calls=None
        ),
        BudgetStatus(
            scope="session/outage", at_end="stop", limits=(TOKENS,), state=None, calls=None, unpriced_calls=None
        ),
    ),
)


def shown(report: BudgetReport) -> list[str]:
    out = io.StringIO()
    print_budgets(report, Console(file=out, color_system=None, soft_wrap=True))
    return out.getvalue().splitlines()


def test_each_limit_is_a_line_with_what_is_spent_and_what_follows() -> None:
    day, heading, money, calls, unpriced, team, session = shown(REPORT)
    ends = datetime.fromisoformat(REPORT.resets_at).astimezone()
    assert day == f"The day 2026-11-22 (Europe/Berlin) ends at {ends:%m-%d %H:%M}, your time."
    assert heading.split() == ["budget", "limit", "warns", "at", "spent", "today", "state"]
    assert " ".join(money.split()) == "all sessions $50.00 $40.00 $43.50 nearly used up, then a person is asked"
    assert " ".join(calls.split()) == "100 calls of models 100 calls of models used up: a person is asked"
    assert unpriced.strip() == "money is unknown of 2 calls of models without a price"
    assert team.endswith("not told, then agents stop")
    assert "\x1b" not in team
    assert " ".join(session.split()) == (
        "each session of outage 5,000,000 tokens 4,000,000 tokens at its end agents stop"
    )


def test_that_there_is_none_is_said() -> None:
    assert shown(REPORT.model_copy(update={"budgets": ()})) == [
        "No budget is configured: docs/how-to/budgets.md tells how."
    ]


def test_programs_are_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def get(url: str) -> ApiAnswer:
        return REPORT.model_dump(mode="json")

    monkeypatch.setattr(listing, "get", get)
    result = CliRunner().invoke(cli, ["budgets", "-o", "json", "--url", "http://127.0.0.1:1"])
    assert BudgetReport.model_validate(json.loads(result.stdout)) == REPORT
