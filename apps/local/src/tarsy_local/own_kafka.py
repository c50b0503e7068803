"""Connections to the Kafka that `tarsy up` brings: it has a user with a password, which lies in the home."""

from pathlib import Path

from pydantic import SecretStr

from tarsy_bus.client.security import KafkaSecurity

PROTOCOL, MECHANISM, USER = "SASL_PLAINTEXT", "PLAIN", "tarsy"
"""As tarsy_embedded.kafka_sasl has them, which commands without the extra do not find."""


def own_kafka_security(password_file: Path) -> KafkaSecurity:
    """Raises OSError where the file cannot be read."""
    password = SecretStr(password_file.read_text(encoding="ascii"))
    return KafkaSecurity(PROTOCOL, mechanism=MECHANISM, username=USER, password=password)


def own_kafka_environment(password_file: Path) -> dict[str, str]:
    """Services read the password from its file: no environment holds it."""
    return {
        "TARSY_KAFKA_SECURITY_PROTOCOL": PROTOCOL,
        "TARSY_KAFKA_SASL_MECHANISM": MECHANISM,
        "TARSY_KAFKA_USERNAME": USER,
        "TARSY_KAFKA_PASSWORD_FILE": str(password_file),
    }
