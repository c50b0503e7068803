"""`tarsy status` asks `/ready` of every process: it never says ready when one of them does not."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import JsonValue
from typer.testing import CliRunner, Result

from tarsy_cli.app import cli
from tarsy_local.instance import Home, Instance, Process
from tarsy_processes.ports import free_port
from tarsy_testing.servers.http_server import Quiet, serving

SILENCE = "Kafka has not answered for 23 seconds"
READY: JsonValue = {"ready": True, "waiting_for": [], "reasons": {}, "degraded": {}}

type Answers = dict[str, JsonValue]
"""Bodies of `/ready`, by the process that says them. Others answer with 404."""


def unready(service: str, reason: str) -> JsonValue:
    return {"ready": False, "waiting_for": [service], "starting": [], "reasons": {service: [reason]}}


def degraded(service: str, reason: str) -> JsonValue:
    return {"ready": True, "waiting_for": [], "degraded": {service: [reason]}}


@contextmanager
def answering(answers: Answers) -> Iterator[str]:
    class Handler(Quiet):
        def do_GET(self) -> None:
            body = answers.get(self.path.strip("/").removesuffix("/ready"))
            status = 404 if body is None else 200 if isinstance(body, dict) and body["ready"] else 503
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    with serving(Handler) as url:
        yield url


def status(home: Path, instance: Instance, *options: str) -> Result:
    with Home(home).occupied_by_new_instance():
        Home(home).write(instance)
        return CliRunner().invoke(cli, ["status", "--home", str(home), *options])


def one_process(url: str, state: str = "ready") -> Instance:
    return Instance.model_validate({"state": state, "pid": 1, "api": f"{url}/door/api/v1"})


def many_processes(url: str, *names: str) -> Instance:
    """Names are SERVICE-NUMBER."""
    split = [name.rpartition("-") for name in names]
    rows = [
        Process(service=service, instance=int(number), pid=1, http=f"{url}/{service}-{number}")
        for service, _, number in split
    ]
    return one_process(url).model_copy(update={"processes": rows})


@pytest.mark.parametrize(
    ("told", "code", "readiness", "sentence"),
    [
        (READY, 0, "ready", "TARSy is ready\n"),
        (degraded("ingest", "it is slow"), 0, "degraded", "TARSy is degraded\n  ingest: it is slow\n"),
        (unready("timeline", SILENCE), 4, "not_ready", f"TARSy is not ready\n  timeline: {SILENCE}\n"),
        (None, 4, "not_ready", "TARSy is not ready\n  tarsy: /ready answers 404, and not as a TARSy of this version"),
        ({"ready": False, "waiting_for": ["ingest"]}, 4, "not_ready", "  ingest: it does not do its work yet\n"),
    ],
    ids=["ready", "degraded", "not ready", "not ours", "starting"],
)
def test_one_process_is_what_its_ready_says(
    tmp_path: Path, told: JsonValue, code: int, readiness: str, sentence: str
) -> None:
    with answering({"door": told}) as url:
        shown, for_programs = (status(tmp_path, one_process(url), *options) for options in ((), ("--json",)))
    assert sentence in shown.output
    assert (shown.exit_code, for_programs.exit_code) == (code, code)
    answer = json.loads(for_programs.stdout)
    assert (answer["state"], answer["readiness"]) == ("ready", readiness)


def test_a_process_that_does_not_answer_is_not_ready(tmp_path: Path) -> None:
    shown = status(tmp_path, one_process(f"http://127.0.0.1:{free_port()}"))
    assert shown.exit_code == 4
    assert "TARSy is not ready\n  tarsy: /ready does not answer" in shown.output


@pytest.mark.parametrize("state", ["starting", "stopping"])
def test_one_that_starts_or_stops_is_not_ready_whatever_it_answers(tmp_path: Path, state: str) -> None:
    with answering({"door": READY}) as url:
        shown = status(tmp_path, one_process(url, state))
    assert (shown.exit_code, shown.output) == (4, f"TARSy is {state} (process 1).\n")


def test_each_of_many_processes_is_asked_and_its_row_has_what_it_says(tmp_path: Path) -> None:
    answers = {
        "door": READY,
        "timeline-1": degraded("timeline", "its answers are late"),
        "ingest-1": READY,
        "ingest-2": unready("ingest", SILENCE),
    }
    with answering(answers) as url:
        instance = many_processes(url, "timeline-1", "ingest-1", "ingest-2")
        shown, for_programs = (status(tmp_path, instance, *options) for options in ((), ("--json",)))
    assert (shown.exit_code, for_programs.exit_code) == (4, 4)
    lines = shown.output.splitlines()
    assert lines[:3] == [
        "TARSy is not ready",
        f"  ingest: instance 2: {SILENCE}",
        "  timeline: degraded: its answers are late",
    ]
    rows = [line.split()[:5] for line in lines if "/ingest-" in line or "/timeline-" in line]
    assert [row[3] for row in rows] == ["degraded", "ready", "not"]
    answer = json.loads(for_programs.stdout)
    assert answer["reasons"] == {"ingest": [f"instance 2: {SILENCE}"]}
    assert answer["degraded"] == {"timeline": ["its answers are late"]}
    assert [one["readiness"] for one in answer["processes"]] == ["degraded", "ready", "not_ready"]
    assert [one["state"] for one in answer["processes"]] == ["ready", "ready", "ready"]


def test_the_front_door_counts_too(tmp_path: Path) -> None:
    with answering({"door": unready("notifier", "its process is waiting"), "ingest-1": READY}) as url:
        shown = status(tmp_path, many_processes(url, "ingest-1"))
    assert shown.exit_code == 4
    assert "TARSy is not ready\n  notifier: its process is waiting\n" in shown.output
