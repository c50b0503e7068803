"""A real Prometheus, and its own tool: Debian's package `prometheus` has both."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import yaml
from pydantic import JsonValue

from tarsy_processes.ports import free_port
from tarsy_testing.programs import required_program
from tarsy_testing.servers.ready_server import LIMIT_SECONDS, ready_server

ROOT = Path(__file__).resolve().parent.parent.parent.parent


def promtool(*command: str, folder: Path = ROOT) -> str:
    """Its output. Skips the test where it is missing, but in CI."""
    program = required_program("promtool")
    done = subprocess.run(
        [program, *command], cwd=folder, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@asynccontextmanager
async def prometheus(config: dict[str, JsonValue], folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """It is ready in the body. Skips the test where it is missing, but in CI."""
    program, port, file = required_program("prometheus"), free_port(), folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(config), "utf-8")
    arguments: dict[str, str | Path] = {
        "config.file": file,
        "storage.tsdb.path": folder / "data",
        "web.listen-address": f"127.0.0.1:{port}",
        "log.level": "error",
    }
    async with ready_server(program, arguments, port=port) as client:
        yield client
