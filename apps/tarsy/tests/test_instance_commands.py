"""`tarsy up`: what it says of variables that somebody set for something else."""

from tarsy_cli.instance_commands import unused_variables

URL = "postgresql://tarsy:pass%2Fword@db.example:5433/tarsy?sslmode=require"


def test_a_variable_that_is_not_used_is_said_not_to_be() -> None:
    around = {"TARSY_KAFKA": "kafka:9092", "TARSY_DATABASE": URL}
    lines = unused_variables(around, kafka="", database="")
    assert len(lines) == 2
    assert "--kafka" in lines[0]
    assert "word" not in "".join(lines)
    assert unused_variables(around, kafka="kafka:9092", database=URL) == []
    assert unused_variables({}, kafka="", database="") == []


def test_nor_are_those_about_its_security_and_its_password() -> None:
    around = {"TARSY_KAFKA_SECURITY_PROTOCOL": "SSL", "TARSY_DATABASE_FILE": "/run/secrets/database"}
    assert [line.partition(" ")[0] for line in unused_variables(around, kafka="", database="")] == list(around)
    assert unused_variables(around, kafka="kafka:9092", database=URL) == []
