"""The undocumented parts of FastStream that we use: an upgrade that moves one is told in a sentence."""

import pytest
from faststream.kafka.subscriber.usecase import DefaultSubscriber

from tarsy_bus.queues import faststream_internals
from tarsy_bus.queues.faststream_internals import find_missing_faststream_parts


def test_the_installed_faststream_has_every_part_that_is_used() -> None:
    assert list(find_missing_faststream_parts()) == []


def test_a_part_that_moved_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faststream_internals, "CALLED_OF_OURS", {DefaultSubscriber.get_msg: ("consumer.getmany()",)})
    assert list(find_missing_faststream_parts()) == [
        "FastStream's DefaultSubscriber.get_msg has no 'consumer.getmany()' any more: "
        "see tarsy_bus/queues/faststream_internals.py"
    ]
