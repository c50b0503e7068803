"""TARSY_TEST_CONTAINERS=1 gives tests a Kafka in a container of a real engine."""

import os
import subprocess
import sys

import pytest

from tarsy_ground.composition import ROOT
from tarsy_ground.engine import Engine

SECONDS = 600
TESTS = ("libs/bus/tests/test_log_writer.py", "libs/bus/tests/test_heads.py", "libs/bus/tests/test_work_queue.py")


@pytest.mark.timeout(2 * SECONDS)
def test_the_bus_works_on_a_kafka_in_a_container(stocked_engine: Engine) -> None:
    """The tests run in the network of the engine, as ports are published there. Ryuk has no image here."""
    engine = stocked_engine
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", *TESTS]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        engine.network.command(*command),
        cwd=ROOT,
        env={**own, **engine.environment, "TARSY_TEST_CONTAINERS": "1", "TESTCONTAINERS_RYUK_DISABLED": "true"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4_000:]
    assert engine.run("ps", "--all", "--quiet", "--filter", "ancestor=apache/kafka:4.3.1", seconds=SECONDS).stdout == ""
