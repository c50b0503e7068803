"""The last release and today's code side by side, on one Kafka and PostgreSQL, under load: each service is replaced.

Once in each order that CHANGELOG.md allows: what has no state before the orchestrators, and back; then the
orchestrators first. TARSY_ROUNDS is how many times over, with more load: `make rounds`.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import yaml
from observers import History, Page

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_contracts import events as e
from tarsy_testing.real_servers import bus_of_tests, delete_topics, drop_schema
from tarsy_testing.rounds import rounds
from tarsy_testing.story.incident import INCIDENT
from tarsy_testing.story.live_log import following
from tarsy_testing.system.chains import environment, rows
from tarsy_testing.system.investigation import everything, shown
from tarsy_testing.system.last_release import (
    COMMIT,
    VERSION,
    LastRelease,
    NoHistoryError,
    changelog_of,
    check_out,
    last_release,
    run_command,
    versions,
)
from tarsy_testing.system.load import Load, sources_of
from tarsy_testing.system.questions import ask_question
from tarsy_testing.system.rolling import Rolling, rolling
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import PATIENT, ROOT, SERVICES, System, running
from tarsy_verification.session_log import SessionLog

pytestmark = pytest.mark.timeout(1200)

WITHOUT_STATE = ("timeline", "websocket-gateway", "tool-gateway", "summarizer")
ORCHESTRATORS_FIRST = ("orchestrator", *WITHOUT_STATE, "ingest")
NAMED = ("orchestrator", "tool-gateway", "summarizer")
"""Services whose processes write to inbox or log under their names, and so show that they had work."""


@pytest.fixture(scope="module")
def last(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LastRelease]:
    with last_release(tmp_path_factory.mktemp("last") / VERSION) as release:
        yield release


@pytest.fixture
def config_dir(last: LastRelease, tmp_path: Path, incidents: Path) -> Path:
    """The configuration of the last release: an upgrade begins with what is there."""
    folder = tmp_path / "old-config"
    shutil.copytree(last.config, folder)
    file = folder / "tarsy.yaml"
    file.write_text(file.read_text("utf-8").replace("examples/incidents/crash-loop", str(incidents / INCIDENT.name)))
    return folder


def upgraded(folder: Path) -> Path:
    """The same with what an operator adds for the new release, as CHANGELOG says: the old one does not know `allow`."""
    after = folder.with_name("new-config")
    shutil.copytree(folder, after)
    file = after / "tarsy.yaml"
    config = yaml.safe_load(file.read_text("utf-8"))
    for server in config["mcp_servers"].values():
        server["allow"] = ["pods_delete"]
    file.write_text(yaml.safe_dump(config), "utf-8")
    return after


@pytest.fixture
async def bus(last: LastRelease, kafka_bootstrap: str, topic_prefix: str) -> AsyncIterator[Bus]:
    """Topics as the last release makes them."""
    bus = bus_of_tests(kafka_bootstrap, topic_prefix)
    last.run(settings(bus), "topics", "apply")
    yield bus
    await delete_topics(bus)


def settings(bus: Bus) -> dict[str, str]:
    return {"TARSY_KAFKA": bus.bootstrap, "TARSY_TOPIC_PREFIX": bus.topics.prefix}


@pytest.fixture
async def rolled(
    bus: Bus, last: LastRelease, forks: ServiceForks, config_dir: Path, tmp_path: Path, incidents: Path,
    lab_calls: Path, database_url: str, database_schema: str,
) -> AsyncIterator[Rolling]:  # fmt: skip
    """All services of the last release, at work."""
    await asyncio.to_thread(lab_calls.touch)
    own = PATIENT | environment(lab_calls, incidents / INCIDENT.name) | {"TARSY_TEST_DELETE_SECONDS": "2"}
    folder = tmp_path / "system"
    await asyncio.to_thread(folder.mkdir)
    system = System(bus, folder, config_dir, database_url, database_schema, own)
    releases = {"old": last.forks, "new": forks}
    configurations = {"old": config_dir, "new": await asyncio.to_thread(upgraded, config_dir)}
    async with (
        following(bus) as log,
        rolling(system, Load(system, log, lab_calls, same_code=False), releases, configurations) as rolled,
    ):
        with running(system):
            await rolled.start_all("old")
            yield rolled
    await drop_schema(database_url, database_schema)
    shutil.rmtree(tmp_path, ignore_errors=True)


def test_the_last_release_is_the_one_that_the_changelog_names() -> None:
    """While a release is made, its own heading is the newest, and the last one stands below it."""
    found = versions((ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert found[1] == VERSION, "write the new release into tests-support/tarsy_testing/system/last_release.py"
    assert versions(changelog_of(COMMIT))[0] == VERSION


def test_a_clone_without_history_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(
        NoHistoryError, match=r"has no commit 0{40}, .*: fetch the history with `git fetch --unshallow`"
    ):
        check_out("0" * 40, tmp_path / "nothing")


def test_both_run_their_own_code(last: LastRelease, forks: ServiceForks) -> None:
    for service in SERVICES:
        module = f"tarsy_{service.replace('-', '_')}.app"
        assert last.forks.located(module).is_relative_to(last.folder)
        assert forks.located(module).is_relative_to(ROOT)


async def check_history(system: System, told: SessionLog, session_id: str) -> None:
    """Whichever timeline projected it."""
    detail = await shown(system, session_id, told)
    stages = [one["status"] for one in rows(detail["stages"])]
    assert (detail["status"], stages) == ("completed", ["completed"] * len(told.events(e.StageStarted)))


@pytest.mark.parametrize("rolled", range(rounds()), indirect=True)
async def test_each_service_is_replaced_in_both_orders_and_nothing_is_lost_or_doubled(
    rolled: Rolling, bus: Bus
) -> None:
    system, load = rolled.system, rolled.load
    before = await load.begin()
    history, page = History(rolled), Page(rolled)
    async with background_tasks(history.ask_for_ever(), page.look_for_ever()):
        database = {"TARSY_DATABASE": system.database_url, "TARSY_DATABASE_SCHEMA": system.database_schema}
        await asyncio.to_thread(run_command, settings(bus), "topics", "apply")
        await asyncio.to_thread(run_command, database, "database", "migrate")
        for service in WITHOUT_STATE:
            await rolled.replace(service, "new")
        for service in reversed(WITHOUT_STATE):
            await rolled.replace(service, "old")
        await load.send_all_again()
        for service in ORCHESTRATORS_FIRST:
            await rolled.replace(service, "new")
        await load.send_all_again()
        assert await load.faults() == []
        for session_id in before:
            await ask_question(system, session_id, "Is it over?")
            await load.log.until_event(session_id, e.ReplyCompleted)
        for session_id, _ in load.alerts.values():
            await check_history(system, load.log.of(session_id), session_id)
    assert history.faults() == []
    assert page.followed.keys() >= {one.name for one in system.processes if one.service == "websocket-gateway"}
    assert history.answers > len(system.processes)
    at_work = await sources_of(system)
    assert [one.name for one in system.processes if one.service in NAMED and one.name not in at_work] == []
    assert await everything(system, [system.bus.topics.dead_letters, system.bus.topics.held]) == []
