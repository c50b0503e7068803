"""`tarsy topics`."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.kafka.commands import acls, show
from tarsy_cli.terminal import DEFAULT_HOME, MISFITS, NOT_ASKED, WOULD_CHANGE, HomeOption, fail, say

if TYPE_CHECKING:
    from tarsy_bus.connection import Bus
    from tarsy_bus.security import KafkaSecurity

CONNECT_SECONDS = 10.0

topics = typer.Typer(no_args_is_help=True, help="The topics in Kafka.")
topics.command("show")(show)
topics.command("acls")(acls)


@topics.callback()
def all_topics() -> None:
    """The topics in Kafka."""


@topics.command("apply")
def apply(
    kafka: Annotated[str, typer.Option(envvar="TARSY_KAFKA", help="bootstrap servers")] = "127.0.0.1:9092",
    prefix: Annotated[str, typer.Option(envvar="TARSY_TOPIC_PREFIX", help="how the names begin")] = "tarsy",
    replication: Annotated[
        int | None, typer.Option(min=1, help="copies of each partition; else 3, or one a broker where there are less")
    ] = None,
    partitions: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="of inbox, log and heads; for the first time only, later it is fixed"),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be made and what does not fit")] = False,
) -> None:
    """Make the topics that are missing, and check the others.

    How connections are secured is said by TARSY_KAFKA_SECURITY_PROTOCOL and what belongs to it, as for services. The
    Kafka that `tarsy up` brings is known by --home.

    With --dry-run nothing is changed, and the exit code says what there is to do: 0 nothing, 1 topics would be made,
    2 topics do not fit, 3 the cluster could not be asked.
    """
    # Here, as Kafka's client takes a while to import: other commands would wait for it.
    from aiokafka.errors import KafkaError

    from tarsy_bus.access import KafkaAccessError
    from tarsy_bus.connection import Bus
    from tarsy_bus.publisher import NotWrittenError
    from tarsy_bus.topics_admin import WrongTopicsError
    from tarsy_contracts.topics import Topics
    from tarsy_local.kafka_sentence import kafka_sentence

    not_asked = NOT_ASKED if dry_run else 1
    bus = Bus(kafka, Topics(prefix), client="tarsy-topics", security=_security(kafka, home, not_asked))
    try:
        if dry_run:
            raise typer.Exit(asyncio.run(_compare(bus, partitions)))
        made, remarks = asyncio.run(_apply(bus, replication, partitions))
    except WrongTopicsError as problem:
        raise fail(f"The topics could not be applied at {kafka}: {problem}") from None
    except KafkaAccessError as problem:
        raise fail(f"{problem}.", code=not_asked) from None
    except (KafkaError, NotWrittenError, TimeoutError) as problem:
        raise fail(kafka_sentence(kafka, problem), code=not_asked) from None
    say("\n".join([*(f"made {name}" for name in made), *_differences(remarks)]) or "All topics are there.")


def _security(kafka: str, home: Path, code: int) -> "KafkaSecurity":
    from tarsy_local.instance_kafka import security_of_own_kafka

    told = bool(os.environ.get("TARSY_KAFKA_SECURITY_PROTOCOL"))
    return (None if told else security_of_own_kafka(home, kafka)) or kafka_security(code=code)


def kafka_security(*, code: int = 1) -> "KafkaSecurity":
    """How the environment says that connections to Kafka are secured. Ends the command when it says it wrongly."""
    from pydantic import ValidationError

    from tarsy_bus.security import security_of
    from tarsy_service.kafka_settings import KafkaConnectionSettings
    from tarsy_service.settings import mistakes_in_settings

    try:
        return security_of(KafkaConnectionSettings())
    except ValidationError as problem:
        raise fail("\n".join(mistakes_in_settings(problem)), code=code) from None


async def _apply(bus: "Bus", replication: int | None, partitions: int | None) -> tuple[list[str], Sequence[str]]:
    from tarsy_bus.topics_admin import apply_topics, compare_topics

    made = await apply_topics(bus, replication=replication, log_partitions=partitions, connect_seconds=CONNECT_SECONDS)
    return made, (await compare_topics(bus, connect_seconds=CONNECT_SECONDS)).remarks


def _differences(remarks: Sequence[str]) -> list[str]:
    return [f"differs, and may: {remark}" for remark in remarks]


async def _compare(bus: "Bus", partitions: int | None) -> int:
    from tarsy_bus.topics_admin import compare_topics

    found = await compare_topics(bus, log_partitions=partitions, connect_seconds=CONNECT_SECONDS)
    for line in [
        *(f"would make {topic.name}: {topic.partitions} partitions" for topic in found.missing),
        *(f"does not fit: {misfit}" for misfit in found.misfits),
        *_differences(found.remarks),
    ]:
        say(line)
    if found.misfits:
        return MISFITS
    if found.missing:
        return WOULD_CHANGE
    say("All topics are there.")
    return 0
