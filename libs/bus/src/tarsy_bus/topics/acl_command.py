"""Command of Kafka's own `kafka-acls.sh` that grants rights."""

import shlex
from collections.abc import Iterator, Sequence

from tarsy_bus.topics.kafka_rights import Right


def acl_command(rights: Sequence[Right], principal: str, connection: Sequence[str]) -> str:
    """One command gives each of its operations on each of its names: all of these rights have the same operations.

    `connection`: options of `kafka-acls.sh`.
    """
    command = ["kafka-acls.sh", *connection, "--add", "--allow-principal", principal]
    return shlex.join([*command, *_acl_options(rights)])


def _acl_options(rights: Sequence[Right]) -> Iterator[str]:
    first = rights[0]
    for operation in first.operations:
        yield from ("--operation", operation)
    for right in rights:
        yield from (f"--{right.resource}", right.name)
    if first.prefixed:
        yield from ("--resource-pattern-type", "prefixed")
