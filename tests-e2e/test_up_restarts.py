"""`tarsy up` keeps what it has started, and tells what is not ready: Kafka, PostgreSQL and the services come back."""

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Running, Tarsy, is_alive, tarsy, wait_for

COMES_BACK_SECONDS = 120.0
TOLD_SECONDS = 30.0
"""Within which `/ready` tells of a Kafka that is frozen, as docs/operations says."""
NOT_READY = 4
SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
BETWEEN_SECONDS = 5.0
"""Between the two kills: the projector waits for PostgreSQL when Kafka goes."""
RECEIVER = '\nnotifications: {nobody: {type: webhook, url: "http://127.0.0.1:1", events: [failed]}}\n'


@pytest.fixture(scope="module", params=[(), ("--processes",)], ids=["one process", "processes"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, incidents: Path, forks: ServiceForks
) -> Iterator[tuple[Tarsy, Running]]:
    folder = tmp_path_factory.mktemp("restarts")
    with tarsy(folder, incidents=incidents, forks=forks) as one:
        # Without a receiver the notifier reads nothing.
        with (one.config_dir / "tarsy.yaml").open("a", encoding="utf-8") as config:
            config.write(RECEIVER)
        yield one, one.up(*request.param)
    shutil.rmtree(folder, ignore_errors=True)


def investigate(one: Tarsy) -> str:
    """The id of a session that was investigated to its end, as the API tells."""
    file = one.folder / "alert.txt"
    file.write_text(f"the disk of db-{time.monotonic_ns()} is full", "utf-8")

    def submitted() -> str | None:
        code, output = one.run("submit", str(file))
        return SESSION.findall(output)[0] if code == 0 else None

    session_id = wait_for(submitted, "the alert is taken", seconds=COMES_BACK_SECONDS)
    url = f"http://127.0.0.1:{one.http_port}/api/v1/sessions/{session_id}"

    def ended() -> bool:
        try:
            answer = httpx2.get(url, timeout=10)
        except httpx2.HTTPError:
            return False
        return answer.status_code == 200 and answer.json()["status"] in ("completed", "failed")

    wait_for(ended, f"session {session_id} has ended, and the API knows", seconds=COMES_BACK_SECONDS)
    return session_id


def complaints(file: Path, start: int) -> list[str]:
    """What a service logs of what is wrong, from this byte on."""
    with file.open("rb") as log:
        log.seek(start)
        lines = [json.loads(line) for line in log if line.startswith(b"{")]
    return [line["event"] for line in lines if line["level"] in ("warning", "error")]


def kill(one: Tarsy, server: str) -> int:
    pid = one.server_pids()[server]
    os.kill(pid, signal.SIGKILL)
    return pid


def until_back(one: Tarsy, server: str, before: int) -> None:
    wait_for(lambda: one.server_pids().get(server, before) != before, f"another {server}", seconds=COMES_BACK_SECONDS)


def asked(one: Tarsy) -> tuple[int, str]:
    """Status and text of `/ready`, at the one address."""
    answer = httpx2.get(f"http://127.0.0.1:{one.http_port}/ready", timeout=10)
    return answer.status_code, answer.text


def test_a_frozen_kafka_is_told_by_ready_and_status_until_it_answers_again(running: tuple[Tarsy, Running]) -> None:
    """A process that was ready once was never asked again: the one address stayed ready."""
    one, _ = running
    wait_for(lambda: one.run("status")[0] == 0, "all are ready", seconds=COMES_BACK_SECONDS)
    kafka = one.server_pids()["kafka"]
    os.kill(kafka, signal.SIGSTOP)
    try:
        wait_for(lambda: asked(one)[0] == 503, "/ready tells of the silence", seconds=TOLD_SECONDS)
        code, output = one.run("status")
        _, told = asked(one)
    finally:
        os.kill(kafka, signal.SIGCONT)
    assert (code, output.splitlines()[0]) == (NOT_READY, "TARSy is not ready"), output
    assert "has not answered for" in output
    assert "has not answered for" in told
    wait_for(lambda: asked(one)[0] == 200, "/ready says that all work again", seconds=COMES_BACK_SECONDS)
    wait_for(lambda: one.run("status")[0] == 0, "so does status", seconds=COMES_BACK_SECONDS)


def test_postgresql_is_killed_and_kafka_5_seconds_later_and_sessions_go_on(running: tuple[Tarsy, Running]) -> None:
    """The projector was gone once, without a word: stopped from inside while it waited for PostgreSQL."""
    one, up = running
    before = investigate(one)
    read = {row.log: Path(row.log).stat().st_size for row in one.processes() if row.log}
    database = kill(one, "postgresql")
    time.sleep(BETWEEN_SECONDS)
    kafka = kill(one, "kafka")
    until_back(one, "postgresql", database)
    until_back(one, "kafka", kafka)
    after = investigate(one)
    wait_for(lambda: all(row.state == "ready" for row in one.processes()), "all are ready", seconds=COMES_BACK_SECONDS)
    for file, size in read.items():
        assert complaints(Path(file), size), f"{file} tells nothing of the outage"
    code, output = one.run("sessions")
    assert code == 0
    assert {before, after} <= set(SESSION.findall(output))
    assert up.process.poll() is None, up.output
    assert "PostgreSQL ended with exit code -9" in up.output
    assert "Kafka ended with exit code -9" in up.output
    assert "starting it again in 0.5 seconds" in up.output
    assert "Traceback" not in up.output
    restarts = {row.service: row.restarts for row in one.processes()}
    assert (restarts["kafka"], restarts["postgresql"]) == (1, 1)
    assert all(is_alive(pid) for pid in one.server_pids().values())


def test_what_no_restart_mends_ends_it_with_a_sentence(tmp_path: Path, forks: ServiceForks) -> None:
    """Somebody has deleted a part of the data."""
    with tarsy(tmp_path / "one", forks=forks) as one:
        up = one.up()
        (one.home / "kafka" / "data" / "meta.properties").unlink()
        kill(one, "kafka")
        assert up.wait(COMES_BACK_SECONDS) == 1
        assert "Kafka ended with exit code -9" in up.output
        assert "holds data but no meta.properties, so it was damaged or only partly copied" in up.output
        assert "Traceback" not in up.output
