"""The undocumented parts of FastStream that we use: an upgrade that moves one is told in a sentence."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields

import pytest
from faststream.kafka.configs import KafkaBrokerConfig
from faststream.kafka.subscriber.usecase import DefaultSubscriber, LogicSubscriber

CALLED_OF_OURS: dict[Callable[..., object], tuple[str, ...]] = {
    LogicSubscriber.start: ("self.builder(", "consumer.subscribe(", "consumer.start()", "self._run_consume_loop"),
    LogicSubscriber.stop: ("self.consumer.stop()",),
    LogicSubscriber.add_task: ("self.tasks.append(",),
    LogicSubscriber._run_consume_loop: ("except ConsumerStoppedError",),
    DefaultSubscriber.get_msg: ("consumer.getone()",),
}
"""Functions of FastStream, and the code of them that a consumer of ours stands on."""


def find_missing_faststream_parts() -> Iterator[str]:
    """Sentences about the parts that the installed FastStream does not have where we look for them."""
    if "builder" not in {one.name for one in fields(KafkaBrokerConfig)}:
        yield _missing_part_message("KafkaBrokerConfig", "builder")
    for function, used in CALLED_OF_OURS.items():
        source = inspect.getsource(function)
        yield from (_missing_part_message(function.__qualname__, part) for part in used if part not in source)


def _missing_part_message(where: str, part: str) -> str:
    return f"FastStream's {where} has no {part!r} any more: see tarsy_bus/queues/faststream_internals.py"


def test_the_installed_faststream_has_every_part_that_is_used() -> None:
    assert list(find_missing_faststream_parts()) == []


def test_a_part_that_moved_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CALLED_OF_OURS, DefaultSubscriber.get_msg, ("consumer.getmany()",))
    assert list(find_missing_faststream_parts()) == [
        "FastStream's DefaultSubscriber.get_msg has no 'consumer.getmany()' any more: "
        "see tarsy_bus/queues/faststream_internals.py"
    ]
