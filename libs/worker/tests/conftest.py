import pytest

from tarsy_bus.client.connection import Bus
from tarsy_contracts.wire.topics import Topics


@pytest.fixture
def bare(kafka_bootstrap: str, topic_prefix: str) -> Bus:
    """Names of this test's own; nothing is made yet."""
    return Bus(bootstrap=kafka_bootstrap, topics=Topics(topic_prefix), client="test")
