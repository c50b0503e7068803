"""`tarsy timeline`, on the real Kafka and PostgreSQL."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tarsy_bus.client.connection import Bus
from tarsy_cli.app import cli
from tarsy_testing.real_servers import drop_schema
from tarsy_timeline.database import sql


@pytest.fixture
def variables(bus: Bus, database_url: str, database_schema: str, tmp_path: Path) -> dict[str, str]:
    return {
        "TARSY_KAFKA": bus.bootstrap,
        "TARSY_TOPIC_PREFIX": bus.topics.prefix,
        "TARSY_DATABASE": database_url,
        "TARSY_DATABASE_SCHEMA": database_schema,
        "TARSY_HOME": str(tmp_path),
    }


async def ran(*arguments: str, variables: dict[str, str]) -> Result:
    """In a thread: the command has an event loop of its own."""
    return await asyncio.to_thread(CliRunner().invoke, cli, ["timeline", *arguments], env=variables)


async def test_tables_that_somebody_threw_away_come_back(variables: dict[str, str], database_url: str) -> None:
    """There is no schema at all before."""
    result = await ran("rebuild", "--processes", "1", variables=variables)
    assert result.exit_code == 0, result.output
    assert "done: the tables were rebuilt" in result.output
    again = await ran("rebuild", "--processes", "1", "--keep", variables=variables)
    assert again.exit_code == 0, again.output
    found = await ran("checksums", "--json", variables=variables)
    kept = await ran(
        "checksums", "--json", "--schema", f"{variables['TARSY_DATABASE_SCHEMA']}_retired", variables=variables
    )
    assert json.loads(found.stdout).keys() == sql.tables() - {"search_queue", "deleted_labels"}
    assert json.loads(found.stdout) == json.loads(kept.stdout)
    assert json.loads(found.stdout)["positions"][0] == 12
    await drop_schema(database_url, f"{variables['TARSY_DATABASE_SCHEMA']}_retired")


async def test_a_rebuild_without_a_kafka_or_a_database_says_how_to_name_one(
    variables: dict[str, str], tmp_path: Path
) -> None:
    no_kafka = await ran("rebuild", variables={"TARSY_HOME": str(tmp_path), "TARSY_KAFKA": ""})
    assert (no_kafka.exit_code, "name one with --kafka" in no_kafka.output) == (1, True)
    no_database = await ran("rebuild", variables={**variables, "TARSY_DATABASE": ""})
    assert (no_database.exit_code, "name one with --database" in no_database.output) == (1, True)


async def test_a_schema_that_may_not_be_made_is_a_sentence(variables: dict[str, str]) -> None:
    result = await ran("rebuild", "--schema", "No Such Schema", variables=variables)
    assert result.exit_code == 1
    assert "database_schema" in result.output.lower()
    assert "Traceback" not in result.output
