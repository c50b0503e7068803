"""`tarsy topics apply` on a Kafka that wants to know who asks: the variables are those of the services."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_testing.servers.secured_kafka import PASSWORD, USER, SecuredKafka, secured_kafka


@pytest.fixture(scope="module")
def kafka(work_folder: Path) -> Iterator[SecuredKafka]:
    with secured_kafka(work_folder / "secured-topics") as kafka:
        yield kafka


def dry_run(kafka: SecuredKafka, password: Path, **more: str) -> tuple[int, str]:
    told = {
        "TARSY_KAFKA": kafka.bootstrap("USERS"),
        "TARSY_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "TARSY_KAFKA_CA_FILE": str(kafka.authority.file),
        "TARSY_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
        "TARSY_KAFKA_USERNAME": USER,
        "TARSY_KAFKA_PASSWORD_FILE": str(password),
    }
    result = CliRunner().invoke(cli, ["topics", "apply", "--dry-run"], env=told | more)
    return result.exit_code, " ".join(result.output.split())


def test_the_cluster_is_asked_as_the_environment_says(kafka: SecuredKafka, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text(f"{PASSWORD}\n", encoding="utf-8")
    code, output = dry_run(kafka, password)
    assert code == 1, output
    assert "would make tarsy.sessions" in output


def test_a_refusal_says_what_to_look_at(kafka: SecuredKafka, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("wrong-one", encoding="utf-8")
    code, output = dry_run(kafka, password)
    assert code == 3
    assert "refuses who we say we are" in output
    assert "TARSY_KAFKA_PASSWORD" in output
    assert "wrong-one" not in output


def test_settings_that_do_not_fit_are_told_before_anybody_is_asked(kafka: SecuredKafka, tmp_path: Path) -> None:
    code, output = dry_run(kafka, tmp_path / "nothing", TARSY_KAFKA_USERNAME="")
    assert code == 3
    assert "TARSY_KAFKA_USERNAME: Value error, SCRAM-SHA-512 needs it" in output
    assert "which TARSY_KAFKA_PASSWORD_FILE names, cannot be read" in output
