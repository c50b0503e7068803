"""The Kafka of commands that read topics themselves: an option's, or that of the TARSy that runs here."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail
from tarsy_cli.printed_commands import with_home

if TYPE_CHECKING:
    from tarsy_bus.client.connection import Bus

KafkaOption = Annotated[
    str, typer.Option(help="a Kafka, HOST:PORT[,HOST:PORT]; else that of the home", show_default=False)
]
PrefixOption = Annotated[str, typer.Option(help="the prefix of topic names", show_default=False)]


def bus_of_home(home: Path, kafka: str, topic_prefix: str) -> "Bus":
    """Ends the command when no Kafka is known."""
    from tarsy_cli.doctor.setup import Named, find_setup

    bus = find_setup(home, Path(), os.environ, Named(kafka=kafka, topic_prefix=topic_prefix)).bus
    if bus is None:
        text = f"No Kafka is known: no TARSy is ready in {home}; name one with --kafka, or see `tarsy doctor`."
        raise fail(with_home(text, home))
    return bus


@contextmanager
def exit_on_kafka_failure(bus: "Bus") -> Iterator[None]:
    """Ends the command with a sentence when Kafka cannot be used."""
    from aiokafka.errors import KafkaError

    from tarsy_local.kafka_sentence import kafka_sentence

    try:
        yield
    except (KafkaError, TimeoutError) as problem:
        raise fail(kafka_sentence(bus.bootstrap, problem)) from None
