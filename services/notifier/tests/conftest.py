import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from tarsy_testing.real_servers import FEW_PARTITIONS, TopicPartitions


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    return FEW_PARTITIONS
