"""The consumers of examples/consumers, in three languages, on a real topic: what they show is what the log has."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from aiokafka.admin import NewPartitions

from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.events import SessionCompleted
from tarsy_testing.programs import required_program
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.consumers import SESSION, RunningConsumer, lines_of, published_topic
from tarsy_testing.story.log import read_log
from tarsy_testing.system.investigation import INVESTIGATION_SECONDS, Investigation, submit
from tarsy_testing.system.system import ROOT, System

FOLDER = ROOT / "examples" / "consumers"
RESULTS = [f"{SESSION} DNS.", f"{SESSION} DNS again."]
BUILD_SECONDS = 600
"""go compiles its own library, too, and npm fetches packages, while other tests use the cores."""

type Programs = Mapping[str, Sequence[str]]
"""The command of each language."""


def run(*command: str, folder: Path) -> None:
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("programs")
    go, npm = required_program("go"), required_program("npm")
    run(go, "build", "-o", str(folder / "consumer"), ".", folder=FOLDER / "go")
    for file in ("consumer.ts", "package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(FOLDER / "typescript" / file, folder)
    run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=folder)
    run("npx", "tsc", folder=folder)
    return {
        "python": [sys.executable, str(FOLDER / "python" / "first.py")],
        "go": [str(folder / "consumer")],
        "typescript": ["node", str(folder / "consumer.js")],
    }


@pytest.mark.parametrize("language", ["go", "typescript"])
async def test_a_consumer_sees_each_result_once(
    programs: Programs, language: str, kafka_bootstrap: str, tmp_path: Path
) -> None:
    bus = await published_topic(kafka_bootstrap)
    assert await asyncio.to_thread(lines_of, programs[language], tmp_path, bus, len(RESULTS)) == RESULTS


@pytest.fixture
def consumers(programs: Programs, system: System, tmp_path: Path) -> Iterator[list[RunningConsumer]]:
    with ExitStack() as running:
        yield [
            running.enter_context(RunningConsumer(command, tmp_path / f"{language}.txt", system.bus))
            for language, command in programs.items()
        ]


async def test_they_see_the_log_of_a_live_system_while_they_and_the_publisher_are_killed_and_the_topic_grows(
    system: System, consumers: list[RunningConsumer]
) -> None:
    await system.start_all()
    sessions = [submit(system)]
    await until_all_show(consumers, sessions)
    async with admin(system.bus) as client:
        await client.create_partitions({system.bus.topics.events: NewPartitions(30)})
    sessions.append(submit(system))
    await sessions[-1].until("tool_call.requested")
    await system.replace("timeline")
    for consumer in consumers:
        consumer.replace()
    sessions.append(submit(system))
    await until_all_show(consumers, sessions)

    wanted = await results(system)
    assert {line.split()[0] for line in wanted} == {one.session_id for one in sessions}
    assert [consumer.results() for consumer in consumers] == [wanted] * 3


async def until_all_show(consumers: list[RunningConsumer], sessions: list[Investigation]) -> None:
    async def all_shown() -> bool:
        wanted = {one.session_id for one in sessions}
        return all(wanted <= {line.split()[0] for line in consumer.results()} for consumer in consumers)

    await eventually(all_shown, lambda: f"{[one.results() for one in consumers]}", seconds=INVESTIGATION_SECONDS)


async def results(system: System) -> set[str]:
    """The first line of each result, as the log has it."""
    return {
        f"{session_id} {(end.executive_summary or '').splitlines()[0]}"
        for session_id, log in (await read_log(system.bus)).items()
        for end in log.events(SessionCompleted)
    }
