"""Connections of commands to the Kafka of a running instance."""

from pathlib import Path

from tarsy_bus.client.security import PLAINTEXT, KafkaSecurity
from tarsy_local.instance import Home, Instance
from tarsy_local.own_kafka import own_kafka_security


def security_of_instance(instance: Instance) -> KafkaSecurity | None:
    """None where its Kafka is somebody else's. Raises OSError."""
    if instance.kafka_password_file:
        return own_kafka_security(Path(instance.kafka_password_file))
    return PLAINTEXT if any(process.service == "kafka" for process in instance.processes) else None


def security_of_own_kafka(home: Path, kafka: str) -> KafkaSecurity | None:
    """None unless this is the Kafka that an instance of the home has started. Raises OSError."""
    instance = Home(home).find_running()
    return security_of_instance(instance) if instance is not None and instance.kafka == kafka else None
