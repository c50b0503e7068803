"""`tarsy retention`: sessions on an API that answers so, the log on the real Kafka and PostgreSQL."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner, Result

from tarsy_bus.client.connection import Bus
from tarsy_cli.app import cli
from tarsy_testing.servers.http_server import Quiet, serving
from tarsy_testing.story.cli_answers import SESSION
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.single_connection import connected

OLD = [f"{number:08d}-268a-5a26-9533-de21a57501a1" for number in range(12)]


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def url(asked: list[str]) -> Iterator[str]:
    """Twelve old sessions in pages of seven; the owner of the last one refuses."""

    class Handler(Quiet):
        def do_GET(self) -> None:
            wanted = parse_qs(urlsplit(self.path).query)
            asked.append(self.path)
            page = int(wanted["page"][0])
            rows = [SESSION | {"id": id, "status": "completed"} for id in OLD[(page - 1) * 7 : page * 7]]
            pages = {"page": page, "page_size": 7, "total_pages": 2, "total_items": len(OLD)}
            self._answer(200, {"sessions": rows, "pagination": pages})

        def do_DELETE(self) -> None:
            asked.append(f"DELETE {self.path} {self.headers['Idempotency-Key']}")
            refused = self.path.endswith(OLD[-1])
            self._answer(409 if refused else 200, {"detail": "the session is not at rest", "message": "It is deleted."})

        def _answer(self, status: int, body: object) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

    with serving(Handler) as url:
        yield url


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["retention", *arguments])


def deleted(asked: list[str]) -> list[str]:
    return [line.split()[1].rpartition("/")[2] for line in asked if line.startswith("DELETE")]


def test_a_dry_run_says_what_would_go_and_nothing_goes(url: str, asked: list[str]) -> None:
    shown = run("--sessions", "30", "--dry-run", "--url", url)
    assert shown.exit_code == 0, shown.output
    assert "12 sessions began before" in shown.output
    assert OLD[0] in shown.output
    assert "and 2 more" in shown.output
    assert deleted(asked) == []
    before = datetime.fromisoformat(parse_qs(urlsplit(asked[0]).query)["end_date"][0])
    assert timedelta(days=30) <= datetime.now(UTC) - before < timedelta(days=30, minutes=5)
    assert parse_qs(urlsplit(asked[0]).query)["status"] == ["completed,failed,cancelled,timed_out"]


def test_each_session_is_deleted_by_its_owner_and_a_refusal_is_told(url: str, asked: list[str]) -> None:
    done = run("--sessions", "30", "--yes", "--url", url)
    assert deleted(asked) == OLD
    assert done.exit_code == 1
    assert "11 sessions were deleted" in done.output
    assert "not at rest" in " ".join(done.output.split())
    assert asked[-1].endswith(f"retention/{OLD[-1]}")


def test_without_anybody_to_ask_nothing_goes_unless_told(url: str, asked: list[str]) -> None:
    refused = run("--sessions", "30", "--url", url)
    assert (refused.exit_code, deleted(asked)) == (2, [])
    assert "--yes" in refused.output
    assert run().exit_code == 2


async def test_a_log_of_which_all_is_wanted_stays(
    bus: Bus, database_url: str, database_schema: str, tmp_path: Path
) -> None:
    async with connected(database_url, schema=database_schema) as connection:
        await migrate(connection, database_schema)
    variables = {
        "TARSY_KAFKA": bus.bootstrap,
        "TARSY_TOPIC_PREFIX": bus.topics.prefix,
        "TARSY_DATABASE": database_url,
        "TARSY_DATABASE_SCHEMA": database_schema,
        "TARSY_HOME": str(tmp_path),
    }
    done = await asyncio.to_thread(CliRunner().invoke, cli, ["retention", "--log", "--yes"], env=variables)
    assert done.exit_code == 0, done.output
    assert "0 records of the session log" in done.output
    details = await asyncio.to_thread(CliRunner().invoke, cli, ["retention", "--details", "9", "--yes"], env=variables)
    assert details.exit_code == 0, details.output
    assert "0 sessions ended before" in details.output


RETENTION = """
defaults: {llm_provider: google-default}
system:
  retention: {session_retention_days: 90, event_ttl: 2h}
"""


@pytest.mark.parametrize(
    ("text", "days"), [(RETENTION, 90), (RETENTION.replace("90", "400"), 400)], ids=["90 days", "400 days"]
)
def test_the_configuration_says_what_goes(url: str, asked: list[str], tmp_path: Path, text: str, days: int) -> None:
    (tmp_path / "tarsy.yaml").write_text(text, "utf-8")
    result = run("--config", str(tmp_path), "--url", url, "--dry-run")
    assert result.exit_code == 0, result.output
    before = datetime.now(UTC) - timedelta(days=days)
    assert f"12 sessions began before {before:%Y-%m-%d}" in result.output
    assert deleted(asked) == []


def test_a_configuration_that_says_nothing_keeps_all(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text("defaults: {llm_provider: google-default}", "utf-8")
    result = run("--config", str(tmp_path), "--yes")
    assert (result.exit_code, result.output.strip()) == (0, "`system.retention` says nothing: all is kept.")


def test_days_of_retention_are_at_least_one(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text("system: {retention: {session_retention_days: 0}}", "utf-8")
    result = run("--config", str(tmp_path), "--yes")
    assert result.exit_code == 1
    assert "session_retention_days" in result.output
