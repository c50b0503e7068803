"""Private parts of aiokafka, all in one place: what it has no public way for.

aiokafka_check.py lists what is used of them: whoever adds a use adds it there.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from functools import partial, wraps
from itertools import chain
from types import FunctionType, MethodType

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient, ConnectionGroup, create_conn
from aiokafka.cluster import ClusterMetadata
from aiokafka.conn import AIOKafkaConnection, OAuthAuthenticator, collect_hosts
from aiokafka.consumer.fetcher import Fetcher, PartitionRecords
from aiokafka.consumer.subscription_state import Assignment
from aiokafka.errors import KafkaConnectionError, KafkaError
from aiokafka.producer.message_accumulator import BatchBuilder, MessageAccumulator
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.fetch import FetchRequest, FetchRequest_v11, FetchResponse_v11
from aiokafka.protocol.metadata import MetadataRequest
from aiokafka.record.default_records import DefaultRecordBatch
from aiokafka.record.legacy_records import LegacyRecordBatch
from aiokafka.record.util import calc_crc32c, decode_varint

from tarsy_bus.broker_connections import Address, BrokerConnections, SharingClient

__all__ = [
    "Assignment",
    "BatchBuilder",
    "DefaultRecordBatch",
    "FetchRequest",
    "FetchRequest_v11",
    "FetchResponse_v11",
    "Fetcher",
    "LegacyRecordBatch",
    "PartitionRecords",
    "abandon",
    "calc_crc32c",
    "collect_hosts",
    "copy_with_names",
    "decode_varint",
    "drop_waiting_requests",
    "fetch_task_died",
    "group_generation",
    "leaders",
    "mute_clear_passwords",
    "notice_refused_tokens",
    "pace_metadata",
    "rewrite_batches",
    "send_task_died",
    "send_to_any_broker",
    "share_connections",
    "try_connection",
    "wait_no_more",
]

type Client = AIOKafkaProducer | AIOKafkaConsumer | AIOKafkaAdminClient

MOST_UPDATES, UPDATES_SECONDS = 5, 1.0
"""Limit of requests for metadata, and the seconds that it holds for. A client asks less at its start."""

CLOSE_SECONDS = 2.0
BROKERS_SECONDS, BROKERS_PAUSE_SECONDS = 20.0, 0.2
"""How long a client that starts asks for brokers, and how often."""

COORDINATOR_TASKS = ("_coordination_task", "_heartbeat_task", "_commit_refresh_task", "_reset_committed_task")


def send_task_died(producer: AIOKafkaProducer) -> bool:
    """The producer's own task that sends is over. A producer that has not started has none yet."""
    task = getattr(getattr(producer, "_sender", None), "sender_task", None)
    return task is not None and bool(task.done())


def fetch_task_died(consumer: AIOKafkaConsumer) -> bool:
    """The consumer's own task that fetches is over, and nobody has stopped it."""
    fetcher = getattr(consumer, "_fetcher", None)
    return fetcher is not None and fetcher._fetch_task.done() and not fetcher._closed


def leaders(consumer: AIOKafkaConsumer, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
    """The brokers that lead these partitions, without those that nobody leads, as far as the consumer knows.

    While it lacks one for a partition that it has, its fetcher asks again and again.
    """
    found = {place: consumer._client.cluster.leader_for_partition(place) for place in places}
    return {place: broker for place, broker in found.items() if broker is not None and broker >= 0}


def group_generation(consumer: AIOKafkaConsumer) -> int:
    """The generation of its group in which the consumer is a member; negative while it is none."""
    return int(consumer._coordinator.generation)


async def abandon(client: Client) -> None:
    """Ends what an unfinished `stop` leaves behind: tasks that would go on for ever, and open connections."""
    match client:
        case AIOKafkaProducer():
            client._closed = True
            sending = client._sender.sender_task
            await client.client.close()
            _answer_metadata(client.client)
            # It would try to send for ever, each batch by itself.
            _fail_batches(client._message_accumulator, KafkaError("the producer was given up"))
            await _cancel([sending])
        case AIOKafkaConsumer():
            coordinator, fetcher = client._coordinator, client._fetcher
            await _cancel(getattr(coordinator, name, None) for name in COORDINATOR_TASKS)
            if fetcher is not None:
                await _cancel([fetcher._fetch_task, *fetcher._pending_tasks])
            await client._client.close()
        case _:
            await client._client.close()


def _fail_batches(accumulator: MessageAccumulator, reason: KafkaError) -> None:
    """Takes the failure from waiters that nobody waits for: asyncio would print each as an error that nobody saw."""
    batches = [*chain.from_iterable(accumulator._batches.values()), *accumulator._pending_batches]
    accumulator.fail_all(reason)
    for batch in batches:
        batch._drain_waiter.exception()


def _answer_metadata(client: AIOKafkaClient) -> None:
    """A closed client asks for none any more: whoever still waited for the answer would do so for ever."""
    waited_for = client._md_update_fut
    if waited_for is not None and not waited_for.done():
        waited_for.set_result(False)


def pace_metadata(client: AIOKafkaProducer | AIOKafkaConsumer) -> None:
    """Bounds how often the client asks for metadata.

    aiokafka's fetcher asks again at once while a partition has no leader. With a broker that refuses connections it
    tried 2,600 times a second, and wrote a line about each.
    """
    inner = _inner(client)
    update, began = inner._metadata_update, deque[float](maxlen=MOST_UPDATES)
    now = asyncio.get_running_loop().time

    async def update_paced(cluster: ClusterMetadata, topics: Collection[str] | None) -> bool:
        if len(began) == MOST_UPDATES:
            await asyncio.sleep(max(0.0, began[0] + UPDATES_SECONDS - now()))
        began.append(now())
        return bool(await update(cluster, topics))

    inner._metadata_update = update_paced


def drop_waiting_requests(fetcher: Fetcher, node_id: int) -> None:
    """Closes the connection on which a request waits for its answer: a broker answers one after the other."""
    connection = fetcher._client._conns.get((node_id, ConnectionGroup.DEFAULT))
    if connection is not None and connection._requests:
        connection.close()


def share_connections(client: Client, connections: BrokerConnections) -> None:
    """From now on the client connects to brokers as `connections` lets it. For clients that have not started."""
    inner = _inner(client)

    def brokers() -> list[Address]:
        known = [(broker.host, broker.port) for broker in inner.cluster.brokers()]
        return known or [(host, port) for host, port, _ in inner.hosts]

    sharing, close = SharingClient(others=brokers), inner.close

    async def connect(host: str, port: int, **arguments: object) -> AIOKafkaConnection:
        made = await connections.connect((host, port), lambda: create_conn(host, port, **arguments), sharing)
        _raise_os_errors(made)
        if sharing.is_closed:
            # The client has closed those that it knew of: nobody would ever close this one.
            made.close()
            raise KafkaConnectionError(f"the client was closed while it connected to {host}:{port}")
        return made

    async def close_shared() -> None:
        connections.close(sharing)
        await close()

    for name in ("bootstrap", "_get_conn"):
        function = copy_with_names(getattr(AIOKafkaClient, name), create_conn=connect)
        setattr(inner, name, MethodType(function, inner))
    inner.bootstrap = partial(_bootstrap_with_brokers, inner, inner.bootstrap)
    inner.close = close_shared
    inner.wait_no_more = partial(connections.close, sharing)


async def _bootstrap_with_brokers(client: AIOKafkaClient, bootstrap: Callable[[], Awaitable[None]]) -> None:
    """A broker that the cluster has just missed, or that is still starting, answers that there are no brokers.

    A member of a group that begins with that answer dies of it: it asks none of them for its coordinator.
    """
    await bootstrap()
    try:
        async with asyncio.timeout(BROKERS_SECONDS):
            while not client.cluster.brokers():
                if not await client.force_metadata_update():
                    await asyncio.sleep(BROKERS_PAUSE_SECONDS)
    except TimeoutError as problem:
        raise KafkaConnectionError(f"{client.hosts}: it answers, and knows of no broker, not even itself") from problem


def _raise_os_errors(connection: AIOKafkaConnection) -> None:
    """uvloop raises RuntimeError for a write on a transport that was closed a moment ago, when aiokafka has not noticed
    it yet. It knows OSError, as a broken connection; the other one ended whoever read or wrote.
    """
    write = connection._writer.write

    def write_or_break(data: bytes) -> None:
        try:
            write(data)
        except RuntimeError as problem:
            raise ConnectionResetError(str(problem)) from problem

    connection._writer.write = write_or_break


def wait_no_more(client: object) -> None:
    """A client that waits for others to reach a broker fails now, and connects no more. The caller stops it."""
    if isinstance(client, AIOKafkaProducer | AIOKafkaConsumer | AIOKafkaAdminClient):
        stop_waiting = getattr(_inner(client), "wait_no_more", None)
        if stop_waiting is not None:
            stop_waiting()


def _inner(client: Client) -> AIOKafkaClient:
    return client.client if isinstance(client, AIOKafkaProducer) else client._client


def rewrite_batches(producer: AIOKafkaProducer, rewrite: Callable[[bytearray], bytes | bytearray]) -> None:
    """Each batch of the producer is sent as `rewrite` returns it, which is called once for it.

    aiokafka compresses all batches of a producer, or none.
    """

    class Rewritten(BatchBuilder):  # type: ignore[misc]
        _buffer: bytes | bytearray | None

        def _build(self) -> bytes | bytearray:
            if self._buffer is None:
                self._buffer = rewrite(super()._build())
            return self._buffer

    accumulator: MessageAccumulator = producer._message_accumulator
    create = copy_with_names(MessageAccumulator.create_builder, BatchBuilder=Rewritten)
    accumulator.create_builder = MethodType(create, accumulator)


class _RefusalNoticing(OAuthAuthenticator):  # type: ignore[misc]
    """RFC 7628: who refuses a token answers with the reason, and ends the exchange when it got a control-A.

    aiokafka takes that answer for a success. Its clients then see a cluster without brokers, and wait for some.
    """

    async def step(self, payload: bytes | None) -> tuple[bytes, bool] | None:
        answer: tuple[bytes, bool] | None = (b"\x01", True) if payload else await super().step(payload)
        return answer


_AUTHENTICATOR = AIOKafkaConnection.authenticator_oauth


def notice_refused_tokens() -> None:
    """From now on, connections of this process raise SaslAuthenticationFailed when their token is refused."""

    @wraps(_AUTHENTICATOR)
    def authenticator(connection: AIOKafkaConnection) -> OAuthAuthenticator:
        return _RefusalNoticing(sasl_oauth_token_provider=connection._sasl_oauth_token_provider)

    AIOKafkaConnection.authenticator_oauth = authenticator


def mute_clear_passwords() -> None:
    """aiokafka warns at each connection that a password goes in the clear. It is the operator's setting."""
    logging.getLogger("aiokafka.conn").addFilter(_is_something_else)


def _is_something_else(record: logging.LogRecord) -> bool:
    return record.msg != "Sending username and password in the clear"


async def send_to_any_broker(client: AIOKafkaAdminClient, request: Request[RequestStruct]) -> Response:
    """The answer to a request that the client has no method for. NotImplementedError: the broker is too old for it."""
    return await client._send_request(request)


async def try_connection(host: str, port: int, client_arguments: Mapping[str, object]) -> None:
    """Raises what aiokafka's clients would only log."""
    arguments = {name: value for name, value in client_arguments.items() if name != "bootstrap_servers"}
    connection = AIOKafkaConnection(host, port, **arguments)
    try:
        await connection.connect()
        # A listener with SASL answers its first request from anybody, and the second one not.
        await connection.send(MetadataRequest([]))
    finally:
        closed = connection.close()
        # TLS sends its own close first. A connection that was never made has nobody to send it to.
        if connection._protocol is not None:
            await asyncio.wait([closed], timeout=CLOSE_SECONDS)


def copy_with_names(function: FunctionType, **names: Callable[..., object]) -> FunctionType:
    """A copy of a function that finds other classes and functions under these global names."""
    copy = FunctionType(
        function.__code__, function.__globals__ | names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


async def _cancel(tasks: Iterable["asyncio.Task[object] | None"]) -> None:
    left = [task for task in tasks if task is not None and not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
