"""A program of Debian's that serves HTTP and answers `/-/ready`: Prometheus, Alertmanager."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from tarsy_testing.real_servers import eventually

LIMIT_SECONDS = 120.0


@asynccontextmanager
async def ready_server(
    program: str, arguments: Mapping[str, str | Path], *, port: int
) -> AsyncIterator[httpx2.AsyncClient]:
    """It is ready in the body, listens on `port` of the loopback, and is killed after it."""
    child = await asyncio.create_subprocess_exec(program, *(f"--{name}={value}" for name, value in arguments.items()))
    try:
        async with httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=LIMIT_SECONDS, trust_env=False
        ) as client:
            await eventually(lambda: _is_ready(client), f"{Path(program).name} is ready", seconds=LIMIT_SECONDS)
            yield client
    finally:
        child.kill()
        await child.wait()


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/-/ready")).status_code == 200
    except httpx2.TransportError:
        return False
