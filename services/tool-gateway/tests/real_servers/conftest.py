from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from real_servers.subjects import Subject
from real_servers.talking import Serve
from tarsy_testing.servers.mcp_servers import RunningServer, Surroundings, Wire


@pytest.fixture(scope="session")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with ExitStack() as stack:
        yield Surroundings(tmp_path_factory.mktemp("around"), stack)


@pytest.fixture(scope="session")
def serve(around: Surroundings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """One process of each for all tests; whoever kills it starts it again. Over stdio each session starts its own."""
    folder = tmp_path_factory.mktemp("servers")
    servers: dict[tuple[str, Wire], RunningServer] = {}

    def serving(subject: Subject, wire: Wire) -> RunningServer:
        key = (subject.name, wire)
        if key not in servers:
            servers[key] = RunningServer(subject.start, around, wire, folder)
            servers[key].start()
        return servers[key]

    yield serving
    for server in servers.values():
        server.stop()
