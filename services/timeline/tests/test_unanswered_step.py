"""Which step of a connection to PostgreSQL had no answer."""

import socket

from tarsy_processes.ports import free_port
from tarsy_timeline.database.single_connection import find_unanswered_step


async def test_a_port_that_takes_connections_and_says_nothing_fails_at_tls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        step = await find_unanswered_step(f"postgresql://u:p@127.0.0.1:{silent.getsockname()[1]}/d", seconds=0.3)
    assert step.startswith("TLS: the connection is taken, and nothing answers")


async def test_a_server_that_answers_fails_at_the_login(database_url: str) -> None:
    assert (await find_unanswered_step(database_url)).startswith("login: the server answers")


async def test_a_port_without_a_server_fails_at_the_connection() -> None:
    assert (await find_unanswered_step(f"postgresql://127.0.0.1:{free_port()}/d")).startswith("connection: ")
