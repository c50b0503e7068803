"""Checks of Kafka: whether it lets us in, its brokers' addresses, the topics, and our rights on them."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager

from aiokafka.errors import KafkaError

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.client.cluster_probe import ClusterFacts, describe, unreachable
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.authorized_operations import TopicOperations
from tarsy_bus.topics.kafka_rights import SERVICES, UP
from tarsy_bus.topics.rights_check import describe_lacking_operations, read_granted_operations
from tarsy_bus.topics.topics_admin import admin, compare_topics
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_local.kafka_sentence import kafka_sentence

CONNECT_SECONDS = 8.0
PAGE = "docs/how-to/bring-your-own-kafka.md"
RIGHTS = "`tarsy topics acls` prints"
LOCAL = ("127.", "localhost", "[::1]")


def bus_of(setup: Setup) -> Bus:
    """Raises NotCheckedError."""
    if setup.bus is None:
        raise NotCheckedError("There is no Kafka to ask.", "See the check kafka.")
    return setup.bus


@contextmanager
def kafka_answers() -> Iterator[None]:
    """For checks that need Kafka: another one says why it does not answer. Raises NotCheckedError."""
    try:
        yield
    except (KafkaError, KafkaAccessError):
        raise NotCheckedError("Kafka does not answer.", "See the check kafka.") from None


async def check_kafka(setup: Setup) -> AsyncIterator[CheckResult]:
    bus = setup.bus
    if bus is None:
        raise NotCheckedError(
            f"No Kafka is named, and {setup.why_not or 'its settings are wrong'}.",
            "Start one with `tarsy up`, or name yours with --kafka or TARSY_KAFKA.",
        )
    try:
        async with admin(bus, connect_seconds=CONNECT_SECONDS) as client:
            cluster = await describe(client)
    except KafkaAccessError as problem:
        yield failure(f"{problem}.", f"{PAGE} says which variables belong together.")
        return
    except KafkaError as problem:
        yield failure(kafka_sentence(bus.bootstrap, problem), f"{PAGE} says what the cluster needs.")
        return
    yield _judge_cluster(bus, cluster)
    for broker in await unreachable(bus, cluster.brokers):
        yield failure(
            f"The address that {broker} advertises cannot be reached from here.",
            "Set advertised.listeners of the broker to an address that TARSy can reach, or open the network to it.",
        )
    if not bus.security.protocol.endswith("SSL") and not bus.bootstrap.startswith(LOCAL):
        yield warning(
            f"Connections to {bus.bootstrap} are not encrypted ({bus.security.protocol}).",
            f"Keep them inside a network that you trust, or use TLS ({PAGE}).",
        )


def _judge_cluster(bus: Bus, cluster: ClusterFacts) -> CheckResult:
    brokers = "1 broker" if len(cluster.brokers) == 1 else f"{len(cluster.brokers)} brokers"
    sentence = f"Kafka at {bus.bootstrap} lets us in ({bus.security.protocol}): {brokers}, {cluster.age}."
    return warning(sentence, "TARSy is tested with 4.3.") if cluster.is_too_old else ok(sentence)


async def check_topics(setup: Setup) -> AsyncIterator[CheckResult]:
    bus = bus_of(setup)
    with kafka_answers():
        found = await compare_topics(bus, connect_seconds=CONNECT_SECONDS)
    for one in found.unavailable:
        yield failure(f"The {one}.", "It is an outage: see whether all brokers of the cluster run.")
    if found.missing:
        names = ", ".join(topic.name for topic in found.missing)
        yield failure(f"Topics are missing, or may not be described: {names}.", "Run `tarsy topics apply`.")
    for misfit in found.misfits:
        yield failure(f"The {misfit}.", f"Somebody has to decide: {PAGE} says why this setting matters.")
    for remark in found.remarks:
        yield warning(f"The {remark}.", f"No session is lost by it; {PAGE} says how to correct it.")
    if not found.missing and not found.misfits and not found.unavailable:
        yield ok(f"All topics of {bus.topics.prefix} are there and fit.")


async def check_rights(setup: Setup) -> AsyncIterator[CheckResult]:
    bus = bus_of(setup)
    with kafka_answers():
        async with admin(bus, connect_seconds=CONNECT_SECONDS) as client:
            granted = await read_granted_operations(client, bus.topics)
    if granted is None:
        raise NotCheckedError("The brokers are too old to tell which rights we have.")
    yield judge_rights(bus, granted)


def judge_rights(bus: Bus, granted: Mapping[str, TopicOperations]) -> CheckResult:
    """One user may stand for all services, or each have its own: then the user of one lacks the rights of others."""
    missing = describe_lacking_operations(UP.rights(bus.topics), granted)
    if not missing:
        return ok(f"We have the rights of all services on topics of {bus.topics.prefix}; groups were not asked for.")
    names = [user.name for user in SERVICES if not describe_lacking_operations(user.rights(bus.topics), granted)]
    if names:
        others = [user.name for user in SERVICES if user.name not in names]
        return warning(
            f"We have the rights of {', '.join(names)} on topics, and not those of {', '.join(others)}.",
            f"This is right where each service has a user of its own; else grant what {RIGHTS}.",
        )
    return failure(f"We lack rights: {'; '.join(missing)}.", f"Grant what {RIGHTS}.")
