"""The Kafka that a command means, and connections to that of a running instance."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tarsy_bus.client.security import PLAINTEXT, KafkaSecurity
from tarsy_local.instance import Instance
from tarsy_local.own_kafka import own_kafka_security

DEFAULT_PREFIX = "tarsy"


def security_of_instance(instance: Instance) -> KafkaSecurity | None:
    """None where its Kafka is somebody else's. Raises OSError."""
    if instance.kafka_password_file:
        return own_kafka_security(Path(instance.kafka_password_file))
    return PLAINTEXT if any(process.service == "kafka" for process in instance.processes) else None


def security_of_own_kafka(running: Instance | None, kafka: str) -> KafkaSecurity | None:
    """None unless this is the Kafka that the instance has started, and its password can be read."""
    if running is not None and running.kafka == kafka:
        with suppress(OSError):
            return security_of_instance(running)
    return None


def choose_kafka(kafka: str, prefix: str, running: Instance | None, environ: Mapping[str, str]) -> tuple[str, str]:
    """Returns Kafka, empty where none is known, and the prefix of topics.

    An option counts before the instance, and that before the environment. The instance's prefix is for its own Kafka.
    """
    own = running.kafka if running is not None else ""
    chosen = kafka or own or environ.get("TARSY_KAFKA", "")
    of_own = running.topic_prefix if running is not None and chosen == own else ""
    return chosen, prefix or of_own or environ.get("TARSY_TOPIC_PREFIX") or DEFAULT_PREFIX
