"""A real Prometheus, and its own tool: Debian's package `prometheus` has both."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
import yaml
from pydantic import JsonValue

from tarsy_processes.ports import free_port
from tarsy_testing import eventually

ROOT = Path(__file__).resolve().parent.parent
LIMIT_SECONDS = 120.0


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None and not os.environ.get("CI"):
        pytest.skip(f"{name} is not installed (Debian's package prometheus has it)")
    assert found is not None, f"{name} is missing: CI installs Debian's package prometheus"
    return found


def promtool(*command: str, folder: Path = ROOT) -> str:
    """Its output. Skips the test where it is missing, but in CI."""
    done = subprocess.run(
        [_program("promtool"), *command], cwd=folder, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@asynccontextmanager
async def prometheus(config: dict[str, JsonValue], folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """It is ready in the body. Skips the test where it is missing, but in CI."""
    program, port, file = _program("prometheus"), free_port(), folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(config), "utf-8")
    arguments = {
        "config.file": file,
        "storage.tsdb.path": folder / "data",
        "web.listen-address": f"127.0.0.1:{port}",
        "log.level": "error",
    }
    child = await asyncio.create_subprocess_exec(program, *(f"--{name}={value}" for name, value in arguments.items()))
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            await eventually(lambda: _is_ready(client), "Prometheus is ready", seconds=LIMIT_SECONDS)
            yield client
    finally:
        child.kill()
        await child.wait()


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/-/ready")).status_code == 200
    except httpx2.TransportError:
        return False
