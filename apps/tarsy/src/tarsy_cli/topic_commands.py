"""`tarsy topics apply`."""

import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.options import DEFAULT_HOME, MISFITS, NOT_ASKED, UNCHANGING, USAGE, WOULD_CHANGE, HomeOption

if TYPE_CHECKING:
    from tarsy_bus.client.connection import Bus
    from tarsy_bus.client.security import KafkaSecurity
    from tarsy_bus.topics.topic_check import Fit

CONNECT_SECONDS = 10.0
DEFAULT_KAFKA = "127.0.0.1:9092"


def apply(
    kafka: Annotated[
        str,
        typer.Option(
            envvar="TARSY_KAFKA",
            help="bootstrap servers; else those of the home, or 127.0.0.1:9092",
            show_default=False,
        ),
    ] = "",
    prefix: Annotated[
        str,
        typer.Option(
            envvar="TARSY_TOPIC_PREFIX", help="how the names begin; else as in the home, or tarsy", show_default=False
        ),
    ] = "",
    replication: Annotated[
        int | None, typer.Option(min=1, help="copies of each partition; else 3, or one a broker where there are less")
    ] = None,
    partitions: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="of inbox, log and heads; only the first run sets them"),
    ] = None,
    events_days: Annotated[
        int | None,
        typer.Option(min=1, max=3_650, help="how long the public topic keeps events, if it is made now; else 7"),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help="leave this setting out of the topics that are made, where a policy refuses it: segment.ms"),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be made and what does not fit")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs; with --dry-run")] = False,
) -> None:
    """Create the missing topics, and check the others.

    How connections are secured is said by TARSY_KAFKA_SECURITY_PROTOCOL and what belongs to it, as for services. The
    Kafka and the names of the TARSy that runs in the home are known by --home.

    The exit code is 1 for an outage, and 2 for errors that a retry cannot fix, such as a wrong setting or topic, or a
    refused login.

    With --dry-run nothing is changed. Exit codes: 0 nothing to do, 1 topics would be created, 2 topics do not fit, 3
    the cluster or a topic is not available.
    """
    # Here, as Kafka's client takes a while to import: other commands would wait for it.
    import asyncio

    from aiokafka.errors import KafkaError

    from tarsy_bus.client.access import KafkaAccessError
    from tarsy_bus.client.connection import Bus
    from tarsy_bus.client.publisher import NotWrittenError
    from tarsy_bus.topics.topic_check import OPTIONAL
    from tarsy_bus.topics.topics_admin import WrongTopicsError
    from tarsy_contracts.wire.topics import Topics
    from tarsy_local.instance import Home
    from tarsy_local.instance_kafka import choose_kafka, security_of_own_kafka
    from tarsy_local.kafka_sentence import kafka_sentence
    from tarsy_service.telemetry.logs import configure_logs

    # The sentence below says what is wrong; the output may be read by a program.
    configure_logs("CRITICAL", logging.NullHandler())
    if as_json and not dry_run:
        raise fail("--json is for --dry-run: without it, the exit code says all.", code=USAGE)
    if unknown := sorted({*(without or ())} - {*OPTIONAL}):
        raise fail(f"{unknown[0]} cannot be left out. These can: {', '.join(OPTIONAL)}.", code=USAGE)
    not_asked = NOT_ASKED if dry_run else 1
    unchanging = NOT_ASKED if dry_run else UNCHANGING
    running = Home(home).find_running()
    # Both options have the environment's word already.
    chosen, prefix = choose_kafka(kafka, prefix, running, {})
    kafka = chosen or DEFAULT_KAFKA
    security = security_of_own_kafka(running, kafka) or kafka_security(code=unchanging)
    bus = Bus(kafka, Topics(prefix), client="tarsy-topics", security=security)
    try:
        if dry_run:
            raise typer.Exit(_print_result(asyncio.run(_compare_topics(bus, partitions)), as_json=as_json))
        made, remarks = asyncio.run(_apply_topics(bus, replication, partitions, events_days, without or ()))
    except WrongTopicsError as problem:
        raise fail(f"The topics could not be applied at {kafka}: {problem}", code=UNCHANGING) from None
    except KafkaAccessError as problem:
        raise fail(f"{problem}.", code=unchanging) from None
    except (KafkaError, NotWrittenError, TimeoutError) as problem:
        raise fail(kafka_sentence(kafka, problem), code=not_asked) from None
    say("\n".join([*(f"made {name}" for name in made), *_describe_differences(remarks)]) or "All topics are there.")


def kafka_security(*, code: int = 1) -> "KafkaSecurity":
    """How the environment says that connections to Kafka are secured. Ends the command when it says it wrongly."""
    from pydantic import ValidationError

    from tarsy_bus.client.security import security_of
    from tarsy_service.settings.kafka import KafkaConnectionSettings
    from tarsy_service.settings.service_settings import mistakes_in_settings

    try:
        return security_of(KafkaConnectionSettings())
    except ValidationError as problem:
        raise fail("\n".join(mistakes_in_settings(problem)), code=code) from None


async def _apply_topics(
    bus: "Bus", replication: int | None, partitions: int | None, events_days: int | None, without: Sequence[str]
) -> tuple[list[str], Sequence[str]]:
    from tarsy_bus.topics.topics_admin import apply_topics, compare_topics

    made = await apply_topics(
        bus,
        replication=replication,
        log_partitions=partitions,
        events_days=events_days,
        without=without,
        connect_seconds=CONNECT_SECONDS,
    )
    return made, (await compare_topics(bus, connect_seconds=CONNECT_SECONDS)).remarks


def _describe_differences(remarks: Sequence[str]) -> list[str]:
    return [f"differs, and may: {remark}" for remark in remarks]


async def _compare_topics(bus: "Bus", partitions: int | None) -> "Fit":
    from tarsy_bus.topics.topics_admin import compare_topics

    return await compare_topics(bus, log_partitions=partitions, connect_seconds=CONNECT_SECONDS)


def _print_result(found: "Fit", *, as_json: bool) -> int:
    """The exit code."""
    lines = [
        *(f"unavailable now: {one}" for one in found.unavailable),
        *(f"would make {topic.name}: {topic.partitions} partitions" for topic in found.missing),
        *(f"does not fit: {misfit}" for misfit in found.misfits),
        *_describe_differences(found.remarks),
    ]
    if as_json:
        missing = [{"name": topic.name, "partitions": topic.partitions} for topic in found.missing]
        answer = {
            "missing": missing,
            "unavailable": list(found.unavailable),
            "misfits": list(found.misfits),
            "remarks": list(found.remarks),
        }
        typer.echo(json.dumps(answer, indent=2))
    else:
        for line in lines:
            say(line)
        if not found.missing and not found.misfits and not found.unavailable:
            say("All topics are there.")
    if found.unavailable:
        return NOT_ASKED
    return MISFITS if found.misfits else WOULD_CHANGE if found.missing else 0
