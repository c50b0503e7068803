"""A real Alertmanager: Debian's package `prometheus-alertmanager` has it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from tarsy_processes.ports import free_port
from tarsy_testing.programs import required_program
from tarsy_testing.servers.ready_server import ready_server

PROGRAM = "prometheus-alertmanager"


@asynccontextmanager
async def alertmanager(config: str, folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """It is ready in the body. `config`: the text of its configuration file. Skips the test where it is missing."""
    file, port = folder / "alertmanager.yaml", free_port()
    file.write_text(config, "utf-8")
    arguments: dict[str, str | Path] = {
        "config.file": file,
        "storage.path": folder / "alertmanager",
        "web.listen-address": f"127.0.0.1:{port}",
        "cluster.listen-address": "",
        "log.level": "error",
    }
    async with ready_server(required_program(PROGRAM), arguments, port=port) as client:
        yield client
