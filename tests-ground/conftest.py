"""One engine for all tests of `make ground`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tarsy_ground.base_image import import_base
from tarsy_ground.engine import Engine, running_engine
from tarsy_ground.network import network_namespace
from tarsy_ground.requirements import missing_requirements
from tarsy_testing import cache_dir

CACHE = cache_dir() / "ground"


@pytest.fixture(scope="session")
def able_machine() -> None:
    missing = missing_requirements()
    if missing:
        pytest.skip(" ".join(missing))


@pytest.fixture(scope="session")
def engine(able_machine: None, work_folder: Path) -> Iterator[Engine]:
    namespace = network_namespace("tarsy-ground", subnet=241)
    with namespace as network, running_engine(work_folder / "engine", network) as engine:
        import_base(engine, CACHE)
        yield engine
