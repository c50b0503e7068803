"""Optional rights on Kafka: what a service goes without where a topic may not be read, and the line that grants it."""

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.acl_command import acl_command
from tarsy_bus.topics.authorized_operations import topic_operations
from tarsy_bus.topics.kafka_rights import PRINCIPAL_PREFIX, KafkaUser, Right
from tarsy_bus.topics.rights_check import describe_lacking_operations, name_of_user
from tarsy_bus.topics.topics_admin import admin


async def describe_missing_read(bus: Bus, user: KafkaUser, topic: str) -> str:
    """A sentence that names the right to read this topic, where we lack it, and the command that grants it; else "".

    Brokers that are too old to tell rights are believed to give it. Raises KafkaError and KafkaAccessError.
    """
    right = Right("topic", topic, ("Read",))
    async with admin(bus) as client:
        try:
            granted = await topic_operations(client, [topic])
        except NotImplementedError:
            return ""
    if not describe_lacking_operations([right], granted):
        return ""
    principal = f"User:{bus.security.username}" if bus.security.username else f"{PRINCIPAL_PREFIX}{user.name}"
    command = acl_command([right], principal, ["--bootstrap-server", bus.bootstrap])
    return f"Kafka does not let {name_of_user(bus)} do Read on topic {topic}; `{command}` grants it"
