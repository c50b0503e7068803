"""Which step towards a server has no answer."""

import socket

from tarsy_bus.client.access import find_refusal
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.reachability import find_unreachable_step
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port


async def test_a_name_that_nobody_knows_is_told() -> None:
    assert (await find_unreachable_step("nobody.invalid", 9092)).startswith("name: nobody.invalid is not known")


async def test_a_port_where_nobody_listens_is_told() -> None:
    assert "does not take it" in await find_unreachable_step("127.0.0.1", free_port())


async def test_a_server_that_takes_the_connection_is_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert await find_unreachable_step("127.0.0.1", server.getsockname()[1]) == ""


async def test_a_backlog_that_is_full_has_no_answer() -> None:
    """Linux drops the packets of who comes then, as a firewall does."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        address = server.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        assert "no answer from port" in await find_unreachable_step("127.0.0.1", address[1], seconds=0.3)
        for one in waiting:
            one.close()


async def test_a_kafka_that_cannot_be_reached_is_told_with_the_step() -> None:
    bus = Bus(bootstrap=f"nobody.invalid:9092,127.0.0.1:{free_port()}", topics=Topics("t"), client="test")
    refusal = await find_refusal(bus)
    assert refusal is not None
    assert (refusal.lasts, refusal.sentence.split("(")[0]) == (
        False,
        "Kafka at nobody.invalid:9092, name: nobody.invalid is not known ",
    )
