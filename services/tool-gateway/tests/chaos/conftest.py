from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chaos.hostile import WIRES, Subject, hostile
from tarsy_testing.real_servers import PRODUCT_PARTITIONS, TopicPartitions


@pytest.fixture(params=WIRES, ids="-".join)
async def subject(request: pytest.FixtureRequest, calls_file: Path) -> AsyncIterator[Subject]:
    """The hostile server, over each wire."""
    wire, era = request.param
    async with hostile(calls_file, wire, era) as subject:
        yield subject


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    """Those of the product: gateways run as processes, with its settings."""
    return PRODUCT_PARTITIONS
