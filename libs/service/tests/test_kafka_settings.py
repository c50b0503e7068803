"""Settings of secured connections to Kafka: what fits together, and what is said of the rest."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tarsy_service.settings.kafka import SECURITY_VARIABLES, KafkaConnectionSettings
from tarsy_service.settings.service_settings import mistakes_in_settings
from tarsy_testing.servers.certificates import Authority, Certificate

KEY_PASSWORD = "a secret"
USER = {"USERNAME": "tarsy", "PASSWORD": "another secret"}


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


@pytest.fixture
def own(authority: Authority) -> Certificate:
    return authority.sign("client", password=KEY_PASSWORD)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> "Told":
    return Told(monkeypatch)


class Told:
    """Settings and mistakes, by the part of the variable's name after TARSY_KAFKA_."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def settings(self, **variables: object) -> KafkaConnectionSettings:
        for name, value in variables.items():
            self._patch.setenv(f"TARSY_KAFKA_{name}", str(value))
        return KafkaConnectionSettings()

    def mistakes(self, **variables: object) -> dict[str, str]:
        with pytest.raises(ValidationError) as refused:
            self.settings(**variables)
        lines = mistakes_in_settings(refused.value)
        assert "secret" not in f"{lines} {refused.value}"
        return {name.removeprefix("TARSY_KAFKA_"): words for name, _, words in (line.partition(": ") for line in lines)}


def test_nothing_is_secured_unless_told(told: Told) -> None:
    empty = dict.fromkeys((name.removeprefix("TARSY_KAFKA_") for name in SECURITY_VARIABLES), "")
    assert told.settings() == told.settings(**empty)
    assert told.settings().kafka_security_protocol == "PLAINTEXT"


@pytest.mark.parametrize(
    "variables",
    [
        {"SECURITY_PROTOCOL": "ssl"},
        {"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "plain", **USER},
        {"SECURITY_PROTOCOL": "sasl_plaintext", "SASL_MECHANISM": "SCRAM-SHA-512", **USER},
        {"SECURITY_PROTOCOL": "sasl_ssl", "SASL_MECHANISM": "oauthbearer", "TOKEN_COMMAND": "cat /run/token"},
    ],
    ids=str,
)
def test_what_fits_together_is_taken_in_capitals_or_not(told: Told, variables: dict[str, str]) -> None:
    settings = told.settings(**variables)
    assert settings.kafka_security_protocol == variables["SECURITY_PROTOCOL"].upper()
    assert "secret" not in repr(settings)


def test_a_certificate_and_its_key_are_tried(told: Told, authority: Authority, own: Certificate) -> None:
    tls = {"SECURITY_PROTOCOL": "SSL", "CA_FILE": authority.file}
    told.settings(**tls, CERT_FILE=own.cert, KEY_FILE=own.key, KEY_PASSWORD=KEY_PASSWORD)
    told.settings(**tls, CERT_FILE=own.both, KEY_FILE="", KEY_PASSWORD="")
    assert "cannot be used together" in told.mistakes(CERT_FILE=own.cert)["KEY_PASSWORD"]
    wrong = told.mistakes(CERT_FILE=own.cert, KEY_FILE=own.key, KEY_PASSWORD="a wrong one")
    assert "TARSY_KAFKA_KEY_PASSWORD has to be the password of the key" in wrong["KEY_PASSWORD"]
    other = authority.sign("other")
    assert "cannot be used together" in told.mistakes(KEY_FILE=other.key, KEY_PASSWORD="")["KEY_PASSWORD"]


def test_all_mistakes_are_told_at_once(told: Told, tmp_path: Path) -> None:
    mistakes = told.mistakes(
        SECURITY_PROTOCOL="SASL_SSL",
        CA_FILE=tmp_path / "nothing",
        KEY_FILE=tmp_path / "key",
        SASL_MECHANISM="SCRAM-SHA-512",
        TOKEN_COMMAND="cat /run/token",
    )
    assert "cannot be read (No such file or directory)" in mistakes["CA_FILE"]
    assert "a key is of no use without its certificate: set TARSY_KAFKA_CERT_FILE" in mistakes["KEY_FILE"]
    assert "SCRAM-SHA-512 needs it: set the name of the user" in mistakes["USERNAME"]
    assert "set the password, or TARSY_KAFKA_PASSWORD_FILE" in mistakes["PASSWORD"]
    assert "tokens are for OAUTHBEARER" in mistakes["TOKEN_COMMAND"]
    assert len(mistakes) == 5


@pytest.mark.parametrize(
    ("variables", "name", "said"),
    [
        ({"SECURITY_PROTOCOL": "TLS"}, "SECURITY_PROTOCOL", "Input should be 'PLAINTEXT', 'SSL'"),
        ({"SECURITY_PROTOCOL": "SASL_SSL"}, "SASL_MECHANISM", "SASL_SSL needs a mechanism: set PLAIN, SCRAM"),
        ({"SASL_MECHANISM": "PLAIN", **USER}, "SASL_MECHANISM", "set that to SASL_SSL or SASL_PLAINTEXT"),
        ({"CA_FILE": __file__}, "CA_FILE", "is PLAINTEXT, which has no TLS: set it to SSL or SASL_SSL"),
        ({"SECURITY_PROTOCOL": "SSL", "CA_FILE": __file__}, "CA_FILE", "is no PEM file with certificates"),
        (USER, "PASSWORD", "it is for PLAIN and SCRAM"),
        ({"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "OAUTHBEARER"}, "TOKEN_COMMAND", "OAUTHBEARER needs it"),
    ],
    ids=str,
)
def test_a_mistake_says_what_to_set(told: Told, variables: dict[str, str], name: str, said: str) -> None:
    assert said in told.mistakes(**variables)[name]


@pytest.mark.parametrize(
    ("command", "said"),
    [("/nonexistent/get --with secret", "the program /nonexistent/get is not there"), ("get 'secret", "is no command")],
)
def test_a_token_command_that_cannot_run_is_told_before(told: Told, command: str, said: str) -> None:
    oauth = {"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "OAUTHBEARER"}
    assert said in told.mistakes(**oauth, TOKEN_COMMAND=command)["TOKEN_COMMAND"]
