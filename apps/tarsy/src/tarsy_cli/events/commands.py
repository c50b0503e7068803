"""`tarsy events`, and the CloudEvents of `tarsy export`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail
from tarsy_cli.kafka_of_home import KafkaOption, PrefixOption, bus_of_home, exit_on_kafka_failure
from tarsy_cli.options import DEFAULT_HOME, INTERRUPTED, HomeOption

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tarsy_cli.events.feed import StructuredEvent


def events(
    session: Annotated[str, typer.Option(help="only of this session; its id, or the beginning of it")] = "",
    type: Annotated[
        list[str] | None,
        typer.Option(help="only of this type, such as session.completed or 'tool_call.*'; can be given several times"),
    ] = None,
    from_beginning: Annotated[
        bool, typer.Option("--from-beginning", help="begin with the oldest event that the topic keeps")
    ] = False,
    no_follow: Annotated[
        bool, typer.Option("--no-follow", help="show what is there, from the beginning, and end")
    ] = False,
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show public events as they come: one CloudEvent a line, as JSON, until Ctrl+C.

    These are the events of `tarsy.events`, which other programs read, too. Repeats are left out.
    """
    import asyncio

    from tarsy_cli.events.feed import EventFilter, follow_events, read_kept_events

    bus, wanted = bus_of_home(home, kafka, topic_prefix), EventFilter(session, tuple(type or ()))
    found = read_kept_events(bus, wanted) if no_follow else follow_events(bus, wanted, from_beginning=from_beginning)
    try:
        with exit_on_kafka_failure(bus):
            asyncio.run(_write_events(found))
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader has seen enough. The interpreter flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def cloud_events_of(home: Path, session_id: str, kafka: str, topic_prefix: str) -> str:
    """A JSON batch of the events that the topic keeps of a session. Ends the command when there are none."""
    import asyncio

    from pydantic_core import to_json

    from tarsy_cli.events.feed import events_of

    bus = bus_of_home(home, kafka, topic_prefix)
    with exit_on_kafka_failure(bus):
        found = asyncio.run(events_of(bus, session_id))
    if not found:
        raise fail(f"{bus.topics.events} keeps no event of session {session_id}.")
    return to_json(found, indent=2).decode()


async def _write_events(found: "AsyncGenerator[StructuredEvent]") -> None:
    from contextlib import aclosing

    from pydantic_core import to_json

    async with aclosing(found) as events:
        async for event in events:
            sys.stdout.buffer.write(to_json(event) + b"\n")
            sys.stdout.buffer.flush()
