"""Workers of a test run (`pytest -n 6`) share one Kafka; tests that have one system go to one worker."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Protocol

import pytest
from xdist.scheduler import LoadFileScheduling

from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_testing.real_servers import CONTAINERS, KAFKA, folder_of_tests, own_kafka

GROUND = "tests-ground/"
ONE_SYSTEM = ("tests-e2e/chains/", f"{GROUND}test_cluster", GROUND)
"""Files whose paths begin so have one system: the first that fits. The node is one, and the engine another."""
HEAP = ("-Xms512m", "-Xmx1g")
"""The topics of all tests were more than the 256 MB of `tarsy up` hold. A heap that begins small is swept often."""
SHARED = pytest.StashKey[EmbeddedKafka]()
_running = ExitStack()


class Worker(Protocol):
    """A worker, as the process that starts it knows it."""

    @property
    def config(self) -> pytest.Config: ...
    @property
    def workerinput(self) -> dict[str, str]: ...


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Worker) -> None:
    """A broker for each worker would load and compile the same classes once more. Tests of `make ground` need none."""
    if os.environ.get(KAFKA) or os.environ.get(CONTAINERS) or all(map(is_on_ground, node.config.args)):
        return
    stash = node.config.stash
    if SHARED not in stash:
        folder = _running.enter_context(folder_of_tests())
        stash[SHARED] = _running.enter_context(own_kafka(folder / "kafka", *HEAP))
    node.workerinput[KAFKA] = stash[SHARED].bootstrap


class EndWithKafka:
    """Ends a run whose shared broker has ended: every further test would wait for it, for an hour in all."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        kafka = self._config.stash.get(SHARED, None)
        if report.failed and kafka is not None and (failure := kafka.failure()) is not None:
            pytest.exit(f"the Kafka of all tests: {failure}", returncode=1)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(EndWithKafka(config))


def pytest_unconfigure() -> None:
    _running.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Callable[..., None]) -> Any:
    """As `--dist loadfile`, but files that have one system go to one worker."""
    if config.getoption("dist") != "loadfile":
        return None
    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = system_of
    return scheduler


def system_of(test: str) -> str:
    """Which tests go to the same worker as this one."""
    file = test.partition("::")[0]
    return next((beginning for beginning in ONE_SYSTEM if file.startswith(beginning)), file)


def is_on_ground(argument: str) -> bool:
    return f"{argument}/".startswith(GROUND)
