import pytest

from tarsy_testing.real_servers import FEW_PARTITIONS, TopicPartitions


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    return FEW_PARTITIONS
