"""`tarsy usage digest`: a week on one page, in words or as the API answers it."""

import json

import pytest
from typer.testing import CliRunner

from tarsy_cli import api
from tarsy_cli.api import ApiAnswer
from tarsy_cli.app import cli
from tarsy_contracts.api.digests.usage_digest import DigestCost, NamedCount, RatingCounts, UsageDigest
from tarsy_contracts.api.usage import SessionOutcomes
from tarsy_contracts.digest_text import digest_plain_text

type Asked = list[tuple[str, dict[str, str | int]]]

OUTCOMES = SessionOutcomes(
    sessions=3, completed=3, failed=0, cancelled=0, p50_seconds=9.0, p90_seconds=90.0, scored=0, mean_score=None
)
DIGEST = UsageDigest(
    first="2026-11-16", last="2026-11-22", sessions=OUTCOMES, sessions_before=OUTCOMES, alert_types=(),
    session_labels=(), failures=(), ratings=RatingCounts(accurate=0, partly=0, wrong=1),
    causes=(NamedCount(name="[red]a\x1b[2J disk", count=1),), tools=(), unread_skills=(),
    cost=DigestCost(cost=1.5, cost_completeness="complete", cost_before=None, cost_before_completeness="none"),
    chains=(), teams=(), unpriced_models=(), memories_learned=0,
)  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    found: Asked = []

    def get(url: str, **params: str | int) -> ApiAnswer:
        found.append((url, params))
        return DIGEST.model_dump(mode="json")

    monkeypatch.setattr(api, "get", get)
    return found


def run(*words: str) -> str:
    result = CliRunner().invoke(cli, ["usage", "digest", "--url", "http://127.0.0.1:1", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_week_is_one_page_and_no_name_of_it_moves_the_cursor(asked: Asked) -> None:
    printed = run()
    assert printed == digest_plain_text(DIGEST)
    assert "  real cause: [red]a [2J disk (1)\n" in printed
    assert asked == [("http://127.0.0.1:1/api/v1/usage/digest", {})]


def test_another_week_is_asked_for_by_its_last_day(asked: Asked) -> None:
    assert UsageDigest.model_validate(json.loads(run("--last", "2026-11-22", "--json"))) == DIGEST
    assert asked[0][1] == {"last": "2026-11-22"}


def test_a_day_that_cannot_be_is_a_mistake_before_anything_is_asked(asked: Asked) -> None:
    result = CliRunner().invoke(cli, ["usage", "digest", "--last", "monday", "--url", "http://127.0.0.1:1"])
    assert (result.exit_code, asked) == (2, [])
