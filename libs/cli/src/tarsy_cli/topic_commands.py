"""`tarsy topics`."""

import asyncio
from typing import Annotated

import typer

from tarsy_cli.terminal import fail, say

topics = typer.Typer(no_args_is_help=True, help="The topics in Kafka.")


@topics.callback()
def all_topics() -> None:
    """The topics in Kafka."""


@topics.command("apply")
def apply(
    kafka: Annotated[str, typer.Option(envvar="TARSY_KAFKA", help="bootstrap servers")] = "127.0.0.1:9092",
    prefix: Annotated[str, typer.Option(envvar="TARSY_TOPIC_PREFIX", help="how the names begin")] = "tarsy",
    replication: Annotated[int, typer.Option(help="copies of each partition")] = 1,
) -> None:
    """Make the topics that are missing, and check the others."""
    # Here, as Kafka's client takes a while to import: other commands would wait for it.
    from aiokafka.errors import KafkaError

    from tarsy_bus.connection import Bus
    from tarsy_bus.topics_admin import TopicsWrong, apply_topics
    from tarsy_contracts.topics import Topics

    bus = Bus(bootstrap=kafka, topics=Topics(prefix), client="tarsy-topics")
    try:
        made = asyncio.run(apply_topics(bus, replication=replication))
    except (TopicsWrong, KafkaError) as problem:
        raise fail(f"The topics could not be applied at {kafka}: {problem}") from None
    say("\n".join(f"made {name}" for name in made) or "All topics are there.")
