"""The consumers in Go and TypeScript, on a real topic. They are built here: only where TARSY_TEST_CONSUMERS is 1."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tarsy_consumers import SESSION, lines_of, published_topic

FOLDER = Path(__file__).parents[1]
RESULTS = [f"{SESSION} DNS.", f"{SESSION} DNS again."]
BUILD_SECONDS = 250

pytestmark = [
    pytest.mark.skipif(os.environ.get("TARSY_TEST_CONSUMERS") != "1", reason="TARSY_TEST_CONSUMERS is not 1"),
]


def run(*command: str, folder: Path) -> None:
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


async def test_the_consumer_in_go_sees_each_result_once(kafka_bootstrap: str, tmp_path: Path) -> None:
    program = tmp_path / "consumer"
    await asyncio.to_thread(run, "go", "build", "-o", str(program), ".", folder=FOLDER / "go")
    bus = await published_topic(kafka_bootstrap)
    assert await asyncio.to_thread(lines_of, [str(program)], tmp_path, bus, len(RESULTS)) == RESULTS


async def test_the_consumer_in_typescript_sees_each_result_once(kafka_bootstrap: str, tmp_path: Path) -> None:
    for file in ("consumer.ts", "package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(FOLDER / "typescript" / file, tmp_path)
    await asyncio.to_thread(run, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=tmp_path)
    await asyncio.to_thread(run, "npx", "tsc", folder=tmp_path)
    bus = await published_topic(kafka_bootstrap)
    assert await asyncio.to_thread(lines_of, ["node", "consumer.js"], tmp_path, bus, len(RESULTS)) == RESULTS
