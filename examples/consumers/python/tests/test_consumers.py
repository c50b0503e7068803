"""The consumers in Python: with FastStream's broker for tests, and as programs on the real one."""

import asyncio
import sys
from pathlib import Path

import pytest
from faststream.kafka import TestKafkaBroker

from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionReopened
from tarsy_testing.servers.consumers import COMPLETED, SESSION, headers_of, lines_of, published_topic

FOLDER = Path(__file__).parents[1]
sys.path.append(str(FOLDER))

import first  # noqa: E402 - programs of a folder of their own, as people copy them
import once  # noqa: E402
from kafka_of_tarsy import TOPIC  # noqa: E402


async def send(broker: TestKafkaBroker, number: int, event: PublicEvent) -> None:
    headers = {name: value.decode() for name, value in headers_of(number, event)}
    async with broker as sending:
        await sending.publish(event.to_bytes(), TOPIC, headers=headers)


async def test_the_first_consumer_prints_results_and_leaves_out_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    for number, event in enumerate([PublicSessionReopened(), COMPLETED], 1):
        await send(TestKafkaBroker(first.broker), number, event)
    assert capsys.readouterr().out == f"{SESSION} DNS.\n"


async def test_the_second_consumer_drops_repeats_and_late_events(capsys: pytest.CaptureFixture[str]) -> None:
    for number, event in [(1, PublicSessionReopened()), (3, COMPLETED), (1, PublicSessionReopened()), (3, COMPLETED)]:
        await send(TestKafkaBroker(once.broker), number, event)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{SESSION} 1 PublicSessionReopened", f"{SESSION} 3 PublicSessionCompleted"]


EVERY_EVENT = [
    f"{SESSION} 1 PublicSessionFailed",
    f"{SESSION} 2 PublicSessionCompleted",
    f"{SESSION} 5 PublicSessionCompleted",
]


@pytest.mark.parametrize(("program", "lines"), [("first.py", [f"{SESSION} DNS."]), ("once.py", EVERY_EVENT)])
async def test_a_program_sees_the_events_of_a_real_topic(kafka_bootstrap: str, program: str, lines: list[str]) -> None:
    bus = await published_topic(kafka_bootstrap)
    found = await asyncio.to_thread(lines_of, [sys.executable, program], FOLDER, bus, len(lines))
    assert found == lines
