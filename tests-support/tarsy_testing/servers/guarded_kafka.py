"""A Kafka with an authorizer: a user for each of ours, who may do what is granted, and nothing else."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aiokafka.protocol.admin import CreateAclsRequest, DeleteAclsRequest
from pydantic import SecretStr

from tarsy_bus.client.aiokafka_internals.connections import send_to_any_broker
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.security import KafkaSecurity
from tarsy_bus.topics.authorized_operations import BITS
from tarsy_bus.topics.kafka_rights import USERS, KafkaUser, Operation, Right
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.wire.topics import Topics
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.kafka_sasl import MECHANISM, PROTOCOL, USER
from tarsy_embedded.password_file import read_password
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import bus_of_tests, cache_dir

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "false",
    "super.users": f"User:{USER}",
}
AUDIT = "-Dorg.slf4j.simpleLogger.log.kafka.authorizer.logger=debug"
AUDITED = re.compile(
    r"Principal = User:(?P<user>\S+) is (?P<answer>Allowed|Denied) operation = (?P<operation>\w+) .*?"
    r"on resource = (?P<resource>\w+):LITERAL:(?P<name>\S+) for request = (?P<request>\w+)"
)
RESOURCES = {"topic": 2, "group": 3}
LITERAL, PREFIXED = 3, 4
ALLOW = 3


@dataclass(frozen=True, slots=True)
class Audited:
    """One question to the authorizer. `operation` is named as in Right."""

    user: str
    allowed: bool
    operation: str
    resource: str
    name: str
    request: str


@dataclass(frozen=True, slots=True)
class GuardedKafka:
    """Users are named as ours are, and have passwords that are made of their names."""

    broker: EmbeddedKafka

    def bus(self, topics: Topics, user: KafkaUser | None = None) -> Bus:
        """The admin's without a user: he may do everything."""
        name, password = (user.name, password_of(user)) if user else (USER, read_password(self.broker.data_dir))
        security = KafkaSecurity(PROTOCOL, mechanism=MECHANISM, username=name, password=SecretStr(password))
        return replace(bus_of_tests(self.broker.bootstrap, topics.prefix), security=security)

    async def grant(self, topics: Topics, user: KafkaUser, *, without: Iterable[Right] = ()) -> None:
        """All rights of the user; `without` these, of which each names one operation."""
        left_out = {(right.name, operation) for right in without for operation in right.operations}
        async with admin(self.bus(topics)) as client:
            for right in user.rights(topics):
                for operation in right.operations:
                    if (right.name, operation) not in left_out:
                        answer = await send_to_any_broker(client, CreateAclsRequest(*_acl(user, right, operation)))
                        assert answer.to_object()["creation_responses"][0]["error_code"] == 0, answer

    async def revoke(self, topics: Topics, user: KafkaUser, right: Right) -> None:
        async with admin(self.bus(topics)) as client:
            for operation in right.operations:
                answer = await send_to_any_broker(client, DeleteAclsRequest(*_acl(user, right, operation)))
                assert answer.to_object()["filter_responses"][0]["error_code"] == 0, answer

    def audited(self) -> Iterator[Audited]:
        """Questions to the authorizer, in the log of the broker."""
        for log in sorted(self.broker.data_dir.glob("kafka.log*")):
            for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
                if found := AUDITED.search(line):
                    yield _audited(found)


def environment_of(user: KafkaUser) -> dict[str, str]:
    """Variables of a service that logs in as this user."""
    return {
        "TARSY_KAFKA_SECURITY_PROTOCOL": PROTOCOL,
        "TARSY_KAFKA_SASL_MECHANISM": MECHANISM,
        "TARSY_KAFKA_USERNAME": user.name,
        "TARSY_KAFKA_PASSWORD": password_of(user),
    }


def password_of(user: KafkaUser) -> str:
    return f"{user.name}-secret"


@contextmanager
def guarded_kafka(folder: Path) -> Iterator[GuardedKafka]:
    users = {user.name: password_of(user) for user in USERS.values()}
    broker = EmbeddedKafka(
        folder,
        port=free_port(),
        cache_dir=cache_dir(),
        progress=lambda _: None,
        password=True,
        users=users,
        settings=AUTHORIZER,
        java_options=[AUDIT],
    )
    with broker:
        yield GuardedKafka(broker)


def _acl(user: KafkaUser, right: Right, operation: Operation) -> tuple[int, str, int, str, str, int, int]:
    pattern = PREFIXED if right.prefixed else LITERAL
    return RESOURCES[right.resource], right.name, pattern, f"User:{user.name}", "*", BITS[operation], ALLOW


def _audited(found: re.Match[str]) -> Audited:
    operation = found["operation"].replace("_", " ").title().replace(" ", "")
    allowed = found["answer"] == "Allowed"
    return Audited(found["user"], allowed, operation, found["resource"].lower(), found["name"], found["request"])
