from collections.abc import Iterator

import pytest

from page_logic.node_process import Node, running_node


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with running_node() as node:
        yield node
