"""Kafka and PostgreSQL in containers for tests: `TARSY_TEST_CONTAINERS=1`, where a Docker engine answers."""

from collections.abc import Iterator
from contextlib import contextmanager

import docker
from docker.errors import DockerException
from testcontainers.community.postgres import PostgresContainer
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from tarsy_embedded.jars import VERSION
from tarsy_embedded.kafka_folder import KafkaNode, new_id, properties
from tarsy_processes.ports import free_port

ENGINE_SECONDS = 5
START_SECONDS = 120
POSTGRES = "postgres:18"
INSIDE, CONTROLLER = 9092, 9093


def require_engine() -> None:
    """Raises RuntimeError: who asks for containers is not given something else."""
    try:
        client = docker.from_env(timeout=ENGINE_SECONDS)
        try:
            client.ping()
        finally:
            client.close()
    except DockerException as problem:
        raise RuntimeError(f"TARSY_TEST_CONTAINERS is set, but no Docker engine answers: {problem}") from problem


@contextmanager
def kafka_container() -> Iterator[str]:
    """Its bootstrap server. The settings are those of our own broker: tests need its short session timeouts."""
    require_engine()
    port = free_port()
    container = DockerContainer(f"apache/kafka:{VERSION}").with_bind_ports(INSIDE, port)
    for name, value in _broker_settings(port).items():
        container.with_env(f"KAFKA_{name.upper().replace('.', '_')}", value)
    container.waiting_for(LogMessageWaitStrategy("Kafka Server started").with_startup_timeout(START_SECONDS))
    with container:
        yield f"127.0.0.1:{port}"


@contextmanager
def postgres_container() -> Iterator[str]:
    require_engine()
    with PostgresContainer(POSTGRES, driver=None) as container:
        yield container.get_connection_url()


def _broker_settings(port: int) -> dict[str, str]:
    node = KafkaNode(1, new_id(), {1: CONTROLLER})
    own = dict(line.split("=", 1) for line in properties(node, port=port, more={}).splitlines())
    del own["log.dirs"]
    return own | {
        "listeners": f"BROKER://0.0.0.0:{INSIDE},CONTROLLER://0.0.0.0:{CONTROLLER}",
        "controller.quorum.voters": f"1@127.0.0.1:{CONTROLLER}",
    }
