"""docker-compose.yml, started by the real engine as a user starts it. The last test ends it."""

import re
import shlex
from pathlib import Path
from uuid import uuid4

import pytest

from tarsy_ground.composition import ROOT, ComposeError, Composition
from tarsy_ground.inside import InsideClient
from tarsy_ground.sent_alerts import SentAlerts, recorded_alert
from tarsy_local.instance_counts import SERVICES
from tarsy_testing.waiting import wait_until

DOOR = "http://127.0.0.1:8080"
PROMETHEUS = "http://127.0.0.1:9090"
ALERTMANAGER = "http://127.0.0.1:9093"
OURS = 10001
PAGE = ROOT / "docs/how-to/run-with-compose.md"
DEMO = "run --rm demo"
COMMANDS = re.findall(rf"^docker compose ({DEMO} .+)$", PAGE.read_text("utf-8"), re.MULTILINE)
SECONDS = 120.0
LONGEST_SECONDS = 600.0

pytestmark = pytest.mark.timeout(1_800)


def test_every_service_is_up_after_one_command(composition: Composition) -> None:
    assert composition.unready() == set()


def test_the_demo_ends_well(composition: Composition) -> None:
    assert "names the root cause" in composition.run(*DEMO.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_other_commands_of_the_page_end_well(composition: Composition, command: str) -> None:
    composition.run(*shlex.split(command))


def test_prometheus_scrapes_every_service(composition: Composition, inside: InsideClient) -> None:
    def up() -> set[str]:
        targets = inside.get(f"{PROMETHEUS}/api/v1/targets?state=active").json()["data"]["activeTargets"]
        return {one["labels"]["service"] for one in targets if one["health"] == "up"}

    wait_until(lambda: up() == set(SERVICES))


def test_each_service_runs_as_our_user_without_any_right(composition: Composition) -> None:
    for service in SERVICES:
        for process in composition.processes(service):
            lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
            status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            assert status["Uid"].split() == [str(OURS)] * 4, service
            assert int(status["CapEff"], 16) == 0, service
            assert status["NoNewPrivs"] == "1", service


def test_paths_that_lead_nowhere_are_answered_by_the_front_door(composition: Composition, inside: InsideClient) -> None:
    for path in ("/internal/v1/chains", "/docs", "/redoc", "/api/../internal/v1/chains"):
        assert inside.get(DOOR + path).status_code == 404, path
    assert "TARSy" in inside.get(f"{DOOR}/").text


def test_a_probe_that_nobody_answers_fails(composition: Composition) -> None:
    """That it succeeds where somebody does is why all services are ready."""
    with pytest.raises(ComposeError):
        composition.run("exec", "--env", "TARSY_HTTP_PORT=9", "ingest", "python", "-m", "tarsy_service.probe")


def test_no_alert_is_lost_while_each_container_is_restarted_and_killed(
    composition: Composition, inside: InsideClient
) -> None:
    """An alert comes after each restart, and is investigated while this container is killed, and the next ones end."""
    sent = SentAlerts(inside, DOOR)
    sent.send()
    for service in composition.services():
        composition.run("restart", service)
        sent.send()
        composition.kill(service)
    sent.send()
    wait_until(lambda: composition.unready() == set(), seconds=LONGEST_SECONDS)
    wait_until(sent.have_ended, seconds=LONGEST_SECONDS)
    assert {sent.status(session) for session in sent.sessions} == {"completed"}
    assert len(set(sent.sessions)) == len(sent.sessions) == 2 + len(composition.services())
    assert composition.started_again() == set(composition.services())


def test_what_alertmanager_is_told_is_investigated(composition: Composition, inside: InsideClient) -> None:
    title = f"Checkout is crash looping ({uuid4().hex})."
    alert = recorded_alert()["alerts"][0]
    told = {"labels": alert["labels"], "annotations": {**alert["annotations"], "summary": title}}
    assert inside.post(f"{ALERTMANAGER}/api/v2/alerts", [told]).status_code == 200

    def statuses() -> list[str]:
        sessions = inside.get(f"{DOOR}/api/v1/sessions?page_size=100").json()["sessions"]
        return [one["status"] for one in sessions if one["title"] == title]

    wait_until(lambda: statuses() == ["completed"])


def test_stop_is_in_order_and_down_leaves_nothing(composition: Composition) -> None:
    composition.run("stop")
    stopped = {one.service: one.exit_code for one in composition.containers() if one.service in SERVICES}
    assert stopped == dict.fromkeys(SERVICES, 0)
    composition.down()
    project = "label=com.docker.compose.project=tarsy"
    for things in (("ps", "--all"), ("volume", "ls"), ("network", "ls")):
        assert composition.engine.run(*things, "--quiet", "--filter", project, seconds=SECONDS).stdout == ""
