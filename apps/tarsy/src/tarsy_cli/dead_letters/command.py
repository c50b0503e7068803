"""`tarsy dead-letters`."""

import base64
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption
from tarsy_cli.terminal import fail, get_console, print_json
from tarsy_cli.units import sized

if TYPE_CHECKING:
    from tarsy_cli.dead_letters.reading import DeadLetter

NONE = "There is no dead letter."
SECONDS = 60.0


def dead_letters(
    last: Annotated[int, typer.Option("--last", "-n", min=1, max=10_000, help="how many of the last ones")] = 20,
    raw: Annotated[bool, typer.Option("--raw", help="also headers, key and value: nothing in them is masked")] = False,
    kafka: Annotated[
        str, typer.Option(help="a Kafka, HOST:PORT[,HOST:PORT]; else that of the home", show_default=False)
    ] = "",
    topic_prefix: Annotated[str, typer.Option(help="how the names of the topics begin", show_default=False)] = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List records that could not be read: where they were met, where they lie, and the reason.

    It reads from the Kafka of the TARSy that runs in the home, else from the one that the environment names.
    """
    import asyncio

    from aiokafka.errors import KafkaError
    from pydantic import RootModel

    from tarsy_cli.dead_letters.reading import DeadLetter, read_last
    from tarsy_cli.doctor.setup import Named, find_setup
    from tarsy_local.kafka_sentence import kafka_sentence
    from tarsy_service.logs import configure_logs

    configure_logs("CRITICAL", logging.NullHandler())
    bus = find_setup(home, Path(), os.environ, Named(kafka=kafka, topic_prefix=topic_prefix)).bus
    if bus is None:
        raise fail(f"No Kafka is known: no TARSy is ready in {home}; name one with --kafka, or see `tarsy doctor`.")

    async def read() -> "list[DeadLetter]":
        async with asyncio.timeout(SECONDS):
            return await read_last(bus, last, raw=raw)

    try:
        found = asyncio.run(read())
    except (KafkaError, TimeoutError) as problem:
        raise fail(kafka_sentence(bus.bootstrap, problem)) from None
    if as_json:
        print_json(RootModel[list[DeadLetter]](found))
        return
    for letter in found:
        _print(letter)
    if not found:
        get_console().print(NONE)


def _print(letter: "DeadLetter") -> None:
    from datetime import UTC, datetime

    from rich.text import Text

    from tarsy_local.terminal_text import one_line, printable

    written = datetime.fromtimestamp(letter.written_at_ms / 1000, UTC).astimezone()
    place = f"{letter.topic}-{letter.partition} at {letter.offset}"
    get_console().print(Text(f"{written:%m-%d %H:%M:%S}  {letter.position:>8}  {one_line(place)}", style="bold"))
    get_console().print(Text(f"  {one_line(letter.reason)} ({sized(letter.size)}{', cut' if letter.cut else ''})"))
    if letter.headers is None:
        return
    for name, value in letter.headers.items():
        get_console().print(Text(f"  {one_line(name)}: {one_line(value)}"))
    for name, part in (("key", letter.key), ("value", letter.value)):
        if part is not None:
            text = base64.b64decode(part).decode(errors="backslashreplace")
            get_console().print(Text(f"  {name}: {printable(text)}"))
