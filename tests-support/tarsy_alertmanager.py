"""A real Alertmanager: Debian's package prometheus-alertmanager has it."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from tarsy_processes.ports import free_port
from tarsy_prometheus import LIMIT_SECONDS
from tarsy_testing import eventually

PROGRAM = "prometheus-alertmanager"


@asynccontextmanager
async def alertmanager(config: str, folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """It is ready in the body. `config`: its file, YAML."""
    program, port, file = shutil.which(PROGRAM), free_port(), folder / "alertmanager.yaml"
    assert program is not None, f"{PROGRAM} is not installed (`apt-get install {PROGRAM}`)"
    file.write_text(config, "utf-8")
    arguments = {
        "config.file": file,
        "storage.path": folder / "alertmanager",
        "web.listen-address": f"127.0.0.1:{port}",
        "cluster.listen-address": "",
        "log.level": "error",
    }
    child = await asyncio.create_subprocess_exec(program, *(f"--{name}={value}" for name, value in arguments.items()))
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            await eventually(lambda: _is_ready(client), "Alertmanager is ready", seconds=LIMIT_SECONDS)
            yield client
    finally:
        child.kill()
        await child.wait()


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/-/ready")).status_code == 200
    except httpx2.TransportError:
        return False
