"""Rights on Kafka as commands of its own `kafka-acls.sh`, and as JSON."""

import json
from collections.abc import Iterator, Sequence

from tarsy_bus.topics.acl_command import acl_command
from tarsy_bus.topics.kafka_rights import KafkaUser, Right
from tarsy_contracts.wire.topics import Topics

type Grant = tuple[KafkaUser, str]
"""A user of ours and its principal in Kafka."""


def acl_commands(grants: Sequence[Grant], topics: Topics, connection: Sequence[str]) -> Iterator[str]:
    """One line a command; names that get the same operations share one. `connection`: options of `kafka-acls.sh`."""
    for user, principal in grants:
        yield f"# {user.name}: {user.purpose}"
        for rights in _group_alike(user.rights(topics)):
            yield acl_command(rights, principal, connection)


def acl_json(grants: Sequence[Grant], topics: Topics) -> str:
    rows = [
        {
            "user": user.name,
            "principal": principal,
            "resource": right.resource,
            "pattern": "prefixed" if right.prefixed else "literal",
            "name": right.name,
            "operations": right.operations,
        }
        for user, principal in grants
        for right in user.rights(topics)
    ]
    return json.dumps(rows, indent=2)


def _group_alike(rights: Sequence[Right]) -> list[list[Right]]:
    """Rights that one command can grant."""
    found: dict[tuple[object, ...], list[Right]] = {}
    for right in rights:
        found.setdefault((right.resource, right.prefixed, right.operations), []).append(right)
    return list(found.values())
