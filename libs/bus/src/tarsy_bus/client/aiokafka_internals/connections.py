"""Connections to brokers: shared attempts, a first answer without brokers, and requests that have no method."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MethodType

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient, create_conn
from aiokafka.conn import AIOKafkaConnection, collect_hosts
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.metadata import MetadataRequest

from tarsy_bus.client.aiokafka_internals.inner_client import Client, copy_with_names, inner_client
from tarsy_bus.client.broker_connections import Address, BrokerConnections, SharingClient

__all__ = ["collect_hosts", "send_to_any_broker", "share_connections", "try_connection", "wait_no_more"]

CLOSE_SECONDS = 2.0
BROKERS_SECONDS, BROKERS_PAUSE_SECONDS = 20.0, 0.2
"""How long a client that starts asks for brokers, and how often."""


def share_connections(client: Client, connections: BrokerConnections) -> None:
    """From now on the client connects to brokers as `connections` lets it. For clients that have not started."""
    inner = inner_client(client)

    def brokers() -> list[Address]:
        known = [(broker.host, broker.port) for broker in inner.cluster.brokers()]
        return known or [(host, port) for host, port, _ in inner.hosts]

    sharing, close = SharingClient(others=brokers), inner.close
    opened: list[AIOKafkaConnection] = []

    async def connect(host: str, port: int, **arguments: object) -> AIOKafkaConnection:
        made = await connections.connect((host, port), lambda: create_conn(host, port, **arguments), sharing)
        _raise_os_errors(made)
        if sharing.is_closed:
            # The client has closed those that it knew of: nobody would ever close this one.
            made.close()
            raise KafkaConnectionError(f"the client was closed while it connected to {host}:{port}")
        opened[:] = [made, *(one for one in opened if one.connected())]
        return made

    async def close_shared() -> None:
        connections.close(sharing)
        try:
            await close()
        finally:
            # aiokafka forgets the connection of a start that was cancelled while it waited for the first answer.
            await asyncio.gather(*(one.close() for one in opened if one.connected()))

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
    it yet. It knows OSError, as a broken connection; the other one ended the task that read or wrote.
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
        stop_waiting = getattr(inner_client(client), "wait_no_more", None)
        if stop_waiting is not None:
            stop_waiting()


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
