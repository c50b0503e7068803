"""Making and checking the topics."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaConnectionError, TopicAuthorizationFailedError

from tarsy_bus.client.access import KafkaAccessError, find_refusal
from tarsy_bus.client.aiokafka_internals.connections import share_connections
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import REQUEST_TIMEOUT_MS, Bus
from tarsy_bus.client.outages import passes
from tarsy_bus.client.security import PLAINTEXT
from tarsy_bus.errors import BusError
from tarsy_bus.retries import retry
from tarsy_bus.topics.cluster_layout import read_recorded_partitions, record_partitions
from tarsy_bus.topics.cluster_topics import (
    ClusterState,
    ClusterTopics,
    TopicsUnavailableError,
    read_available_cluster,
    read_cluster,
    read_metadata,
    read_topics,
)
from tarsy_bus.topics.kafka_rights import TOPICS_APPLY, KafkaUser
from tarsy_bus.topics.layout_recovery import find_possible_partition_counts
from tarsy_bus.topics.rights_check import check_rights, hint_at_rights
from tarsy_bus.topics.topic_check import RETENTION, Fit, fit
from tarsy_bus.topics.topic_refusals import describe_refusals
from tarsy_contracts.wire.topics import DAY, EVENTS_KEPT_MS, LOG_PARTITIONS, Topic

ALREADY_EXISTS = 36
REQUEST_TIMED_OUT = 7
"""The controller goes on making the topic; whether it did is seen by asking."""
READY_SECONDS = 60.0
SETTLE_SECONDS = 1.0
"""Another broker of the cluster may not know yet of a topic that was just made."""
CONNECT_SECONDS = 30.0
PAUSE_SECONDS = 0.1
COPIES = 3
"""Replicas of each partition, where the cluster has enough brokers."""


REMEDY = "Run `tarsy topics apply`."

log = structlog.get_logger(__name__)


class WrongTopicsError(BusError):
    """The topics of the cluster are not what this version needs; the message says each of them.

    The operator corrects them.
    """


@asynccontextmanager
async def admin(bus: Bus, *, connect_seconds: float = CONNECT_SECONDS) -> AsyncIterator[AIOKafkaAdminClient]:
    """Waits for a broker that is still starting. Raises KafkaConnectionError, or KafkaAccessError at once."""
    limit = time.monotonic() + connect_seconds
    while True:
        client = AIOKafkaAdminClient(**bus.client_arguments, request_timeout_ms=REQUEST_TIMEOUT_MS)
        share_connections(client, bus.connections)
        try:
            async with asyncio.timeout_at(asyncio.get_running_loop().time() + max(limit - time.monotonic(), 0.1)):
                await start_client(client)
            break
        except (KafkaConnectionError, TimeoutError) as problem:
            await stop_client(client)
            too_late = time.monotonic() > limit
            refusal = await find_refusal(bus) if too_late or bus.security != PLAINTEXT else None
            if refusal is not None and refusal.lasts:
                raise KafkaAccessError(refusal.sentence) from problem
            if too_late:
                why = f": {refusal.sentence}" if refusal is not None else ""
                raise KafkaConnectionError(f"no answer within {connect_seconds:g} seconds{why}") from problem
            await asyncio.sleep(PAUSE_SECONDS)
    try:
        yield client
    finally:
        await stop_client(client)


async def cluster_id(bus: Bus) -> str:
    async with admin(bus) as client:
        described = await client.describe_cluster()
    return str(described["cluster_id"])


async def compare_topics(
    bus: Bus, *, log_partitions: int | None = None, connect_seconds: float = CONNECT_SECONDS
) -> Fit:
    """Changes nothing. `log_partitions`: as for `apply_topics`; another number than the cluster's is a misfit."""
    async with admin(bus, connect_seconds=connect_seconds) as client:
        cluster = await read_cluster(client, bus)
    found = fit(bus.topics.all(cluster.number), cluster.topics.present, cluster.topics.unavailable)
    if found.unavailable:
        # The number on record, and sessions that would tell a lost one, may be among what cannot be read.
        return replace(found, misfits=(), remarks=())
    try:
        wanted = await _decide_partition_count(bus, cluster, log_partitions)
    except WrongTopicsError as problem:
        return replace(found, misfits=[*found.misfits, str(problem)])
    return fit(bus.topics.all(wanted), cluster.topics.present)


async def apply_topics(
    bus: Bus,
    *,
    replication: int | None = None,
    log_partitions: int | None = None,
    events_days: int | None = None,
    without: Collection[str] = (),
    connect_seconds: float = CONNECT_SECONDS,
) -> list[str]:
    """Makes the topics that are missing and returns their names. Without `replication`: COPIES, or a copy a broker.

    `events_days`: how long the public topic keeps an event, if it is made now. `without`: settings that are left out
    then, of OPTIONAL.

    `log_partitions` is for the first time: the number goes on record, and LOG_PARTITIONS where there is none. A record
    that was lost is made again from the topics that are there and the sessions that lie in them.
    Raises WrongTopicsError when topics are there that do not fit, and TopicsUnavailableError when some cannot be
    served for READY_SECONDS; then it makes none.
    """
    async with admin(bus, connect_seconds=connect_seconds) as client:
        cluster = await read_available_cluster(client, bus, READY_SECONDS)
        number = await _decide_partition_count(bus, cluster, log_partitions)
        found = fit(bus.topics.all(number), cluster.topics.present)
        if found.misfits:
            raise WrongTopicsError("; ".join(found.misfits))
        if found.missing:
            await _create_topics(
                client, bus, _with_events_retention(bus, found.missing, events_days), replication, without
            )
            await _wait_until_described(client, bus, number)
    if cluster.recorded is None:
        await record_partitions(bus, number)
        if (recorded := await read_recorded_partitions(bus)) != number:
            raise WrongTopicsError(_other_number_sentence(bus, recorded or LOG_PARTITIONS, number))
    bus.layout.log_partitions = number
    return [topic.name for topic in found.missing]


async def check_topics(bus: Bus, user: KafkaUser | None = None) -> None:
    """Raises WrongTopicsError for topics that are missing or do not fit, TopicsUnavailableError for an outage, or
    KafkaAccessError for missing rights.

    From then on the bus knows the number of partitions that the cluster has on record.
    """
    limit = time.monotonic() + SETTLE_SECONDS
    async with admin(bus) as client:
        # First: a topic that we may not describe looks like one that is missing.
        if user is not None:
            await check_rights(client, bus, user)
        cluster = await read_cluster(client, bus)
        while not _is_complete(bus, cluster) and time.monotonic() < limit:
            await asyncio.sleep(PAUSE_SECONDS)
            cluster = await read_cluster(client, bus)
    if cluster.topics.unavailable:
        raise TopicsUnavailableError(cluster.topics)
    if cluster.recorded is None and bus.topics.layout in cluster.topics.present:
        raise WrongTopicsError(f"topic {bus.topics.layout} has no record of the number of partitions. {REMEDY}")
    found = fit(bus.topics.all(cluster.number), cluster.topics.present)
    if found.missing or found.misfits:
        remedy = "" if found.misfits else f" {REMEDY}"
        raise WrongTopicsError("; ".join([*_describe_missing(found), *found.misfits]) + "." + remedy)
    for remark in found.remarks:
        log.warning("topic.differs", remark=remark)
    bus.layout.log_partitions = cluster.number
    bus.layout.grown = {
        topic.name: cluster.topics.present[topic.name].partitions for topic in bus.topics.all() if topic.may_grow
    }
    kept = cluster.topics.present[bus.topics.events].settings.get(RETENTION)
    bus.layout.events_kept_ms = EVENTS_KEPT_MS if kept is None else int(kept)


async def await_topics(bus: Bus, user: KafkaUser | None = None) -> None:
    """Like `check_topics`, but waits for the end of an outage; `bus.layout.waits_for` has the reason meanwhile.

    Raises KafkaConnectionError of a Kafka that does not answer at all.
    """

    def failed(problem: Exception, pause: float) -> None:
        bus.layout.waits_for = str(problem) or type(problem).__name__
        log.warning("topics.waited_for", reason=bus.layout.waits_for, pause_seconds=round(pause, 1))

    await retry(
        lambda: check_topics(bus, user),
        passes=lambda problem: passes(problem) and not isinstance(problem, KafkaConnectionError),
        failed=failed,
    )
    bus.layout.waits_for = ""


def _is_complete(bus: Bus, cluster: ClusterState) -> bool:
    return (
        not cluster.topics.unavailable
        and cluster.recorded is not None
        and not fit(bus.topics.all(cluster.recorded), cluster.topics.present).missing
    )


async def _decide_partition_count(bus: Bus, cluster: ClusterState, requested: int | None) -> int:
    """Raises WrongTopicsError when another number was decided, and KafkaError."""
    if cluster.recorded is None and not cluster.counts:
        return requested or LOG_PARTITIONS
    number = cluster.recorded or await _recover_partition_count(bus, cluster.counts, requested)
    if requested not in (None, number):
        raise WrongTopicsError(_other_number_sentence(bus, number, requested))
    return number


async def _recover_partition_count(bus: Bus, counts: Collection[int], requested: int | None) -> int:
    """Raises WrongTopicsError where the sessions do not tell it."""
    fitting = await find_possible_partition_counts(bus, counts)
    if len(fitting) > 1 and requested in fitting:
        return requested
    if len(fitting) == 1:
        log.warning("layout.lost", log_partitions=fitting[0])
        return fitting[0]
    lost = f"topic {bus.topics.layout} has lost the number of partitions"
    if not fitting:
        raise WrongTopicsError(f"{lost}, and the sessions lie as none would have it: they are another cluster's")
    raise WrongTopicsError(f"{lost}, which was {' or '.join(map(str, fitting))}: say which with --partitions")


def _with_events_retention(bus: Bus, topics: Sequence[Topic], events_days: int | None) -> list[Topic]:
    if events_days is None:
        return [*topics]
    return [replace(one, retention_ms=events_days * DAY) if one.name == bus.topics.events else one for one in topics]


def _other_number_sentence(bus: Bus, number: int, requested: int) -> str:
    return (
        f"{bus.topics.inbox}, {bus.topics.sessions} and {bus.topics.heads} have {number} partitions for good, as the "
        f"first `tarsy topics apply` of this cluster decided: {requested} need another cluster or prefix"
    )


def _describe_missing(found: Fit) -> list[str]:
    return [f"topic {topic.name} is missing" for topic in found.missing]


async def _create_topics(
    client: AIOKafkaAdminClient, bus: Bus, topics: Sequence[Topic], replication: int | None, without: Collection[str]
) -> None:
    copies = replication or min(COPIES, len((await read_metadata(client, ()))["brokers"]))
    wanted = [
        NewTopic(
            name=topic.name,
            num_partitions=topic.partitions,
            replication_factor=copies,
            topic_configs={name: value for name, value in topic.settings(copies).items() if name not in without},
        )
        for topic in topics
    ]
    answer = await client.create_topics(wanted)
    if refused := [row[0] for row in answer.topic_errors if row[1] == TopicAuthorizationFailedError.errno]:
        raise KafkaAccessError(
            f"Kafka does not let us make topics: we lack the right Create on topic {', '.join(sorted(refused))}. "
            f"{hint_at_rights(bus, TOPICS_APPLY)}"
        )
    passed = (0, ALREADY_EXISTS, REQUEST_TIMED_OUT)
    if failed := [(row[0], row[1], row[2]) for row in answer.topic_errors if row[1] not in passed]:
        raise WrongTopicsError(describe_refusals(failed))


async def _wait_until_described(client: AIOKafkaAdminClient, bus: Bus, log_partitions: int) -> None:
    """The controller answers before the broker's metadata follows."""
    limit = time.monotonic() + READY_SECONDS
    wanted = bus.topics.all(log_partitions)
    names = [topic.name for topic in wanted]
    while problems := _describe_problems(wanted, (found := await read_topics(client, names))):
        if time.monotonic() > limit:
            raise TopicsUnavailableError(found) if found.unavailable else WrongTopicsError("; ".join(problems))
        await asyncio.sleep(PAUSE_SECONDS)


def _describe_problems(wanted: Sequence[Topic], topics: ClusterTopics) -> list[str]:
    found = fit(wanted, topics.present, topics.unavailable)
    return [*_describe_missing(found), *found.unavailable, *found.misfits]
