"""Reachability of a server: which step towards it has no answer, its name or the connection."""

import asyncio
import socket

STEP_SECONDS = 3.0


async def find_unreachable_step(host: str, port: int, *, seconds: float = STEP_SECONDS) -> str:
    """Says which of the two steps fails and how; empty where the server takes the connection.

    `seconds`: how long each step may take.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds):
            await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        return f"name: no answer to the look-up of {host} within {seconds:g} seconds"
    except OSError as problem:
        return f"name: {host} is not known ({problem.strerror})"
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        return f"connection: no answer from port {port} within {seconds:g} seconds, as behind a firewall or a policy"
    except OSError as problem:
        return f"connection: port {port} does not take it ({problem.strerror or problem})"
    writer.close()
    return ""
