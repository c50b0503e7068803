"""`tarsy up`: what it says of variables that somebody set for something else, and what it does not start with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tarsy_cli.instance_commands import explain_unused_variables

URL = "postgresql://tarsy:pass%2Fword@db.example:5433/tarsy?sslmode=require"


def test_a_variable_that_is_not_used_is_said_not_to_be() -> None:
    around = {"TARSY_KAFKA": "kafka:9092", "TARSY_DATABASE": URL}
    lines = explain_unused_variables(around, {"kafka": "", "database": ""})
    assert len(lines) == 2
    assert "--kafka" in lines[0]
    assert "word" not in "".join(lines)
    assert explain_unused_variables(around, {"kafka": "kafka:9092", "database": URL}) == []
    assert explain_unused_variables({}, {"kafka": "", "database": ""}) == []


def test_nor_are_those_about_its_security_and_its_password() -> None:
    around = {"TARSY_KAFKA_SECURITY_PROTOCOL": "SSL", "TARSY_DATABASE_FILE": "/run/secrets/database"}
    assert [line.partition(" ")[0] for line in explain_unused_variables(around, {"kafka": "", "database": ""})] == list(
        around
    )
    assert explain_unused_variables(around, {"kafka": "kafka:9092", "database": URL}) == []


@pytest.mark.parametrize("way", [[], ["--processes"]], ids=["one process", "many processes"])
@pytest.mark.parametrize(
    ("options", "variables"),
    [(["--http-host", "0.0.0.0"], {}), ([], {"TARSY_HTTP_HOST": "0.0.0.0"})],
    ids=["option", "variable"],
)
def test_it_does_not_open_itself_to_others_who_are_not_authenticated(
    tmp_path: Path, way: list[str], options: list[str], variables: dict[str, str]
) -> None:
    home = tmp_path / "home"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TARSY_")} | variables
    done = subprocess.run(
        [sys.executable, "-m", "tarsy_cli", "up", "--home", str(home), *way, *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 1
    assert "reach the address '0.0.0.0' (TARSY_HTTP_HOST)" in told
    assert ("TARSY_AUTH_FILE" in told, "TARSY_OPEN_ACCESS=yes" in told) == (True, True)
    assert not {"kafka", "postgres"} & {one.name for one in home.iterdir()}
