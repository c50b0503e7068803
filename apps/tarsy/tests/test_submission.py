"""Which door a file goes to, and what an API that does not do as it should is said to be."""

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tarsy_cli.api import ApiError, NotFoundError, UnavailableError, UnreachableError, get, retry
from tarsy_cli.lab.demo import restart_alerts
from tarsy_cli.submission import SubmittedAlert, submit_alerts, submit_file
from tarsy_processes.ports import free_port

CUT = 0
"""Instead of an answer the connection ends."""
ONE = {"session_id": "one"}
TWO = {"alerts": [{"session_id": "one"}, {"session_id": None}, {"session_id": "two"}]}


@dataclass
class Api:
    url: str
    status: int = 200
    answer: bytes = b"{}"
    asked: list[tuple[str, object]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    """What is answered before `status` is."""

    def answers(self, body: object, status: int = 200) -> None:
        self.answer, self.status = json.dumps(body).encode(), status


@pytest.fixture
def api() -> Iterator[Api]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            one.asked.append((self.path, json.loads(content) if content else None))
            one.keys.append(self.headers.get("idempotency-key", ""))
            status = one.first.pop(0) if one.first else one.status
            if status == CUT:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(status)
            self.end_headers()
            self.wfile.write(one.answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        one = Api(f"http://127.0.0.1:{server.server_port}/api/v1")
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield one
        server.shutdown()
        thread.join(10)


def test_a_webhook_goes_to_the_door_of_alertmanager_and_brings_a_session_for_each_firing_alert(api: Api) -> None:
    api.answers(TWO)
    webhook = {"version": "4", "alerts": [{}, {}, {}]}
    assert submit_file(api.url, json.dumps(webhook).encode()) == ["one", "two"]
    assert api.asked == [("/api/v1/alerts/alertmanager", webhook)]


def test_an_alert_that_joins_a_session_brings_its_state(api: Api) -> None:
    joined = {"session_id": "one", "status": "joined", "session_status": "completed"}
    api.answers({"alerts": [joined, {"session_id": "two", "status": "queued"}]})
    found = submit_alerts(api.url, json.dumps({"alerts": [{}, {}]}).encode())
    assert found == [SubmittedAlert("one", joined=True, session_status="completed"), SubmittedAlert("two")]


def test_a_body_of_the_api_goes_as_it_is(api: Api) -> None:
    api.answers(ONE)
    body = {"alert_type": "kubernetes", "data": "it burns"}
    assert submit_file(api.url, json.dumps(body).encode()) == ["one"]
    assert api.asked == [("/api/v1/alerts", body)]


def test_a_body_of_another_sender_is_answered_as_its_webhook(api: Api) -> None:
    api.answers(TWO)
    assert submit_file(api.url, b'{"action": "triggered", "data": {"event": {}}}') == ["one", "two"]


@pytest.mark.parametrize("text", ["the disk is full", '{"status": "firing"}', "[1, 2]", "42", '"quoted"', "{not json"])
def test_anything_else_is_text_for_the_agent(api: Api, text: str) -> None:
    api.answers(ONE)
    assert submit_file(api.url, text.encode()) == ["one"]
    assert api.asked == [("/api/v1/alerts", {"data": text})]


def test_bytes_that_are_no_text_are_sent_as_far_as_they_are(api: Api) -> None:
    api.answers(ONE)
    assert submit_file(api.url, b"caf\xe9") == ["one"]
    assert api.asked == [("/api/v1/alerts", {"data": "caf�"})]


def test_a_refusal_is_told_in_the_words_of_the_api(api: Api) -> None:
    api.answers({"detail": "/data: must not be empty"}, 400)
    with pytest.raises(ApiError, match=r"^/data: must not be empty\.$"):
        submit_file(api.url, b"x")


def test_an_api_that_is_not_there_is_said_to_be(api: Api) -> None:
    with pytest.raises(ApiError, match="could not be reached"):
        submit_file(f"http://127.0.0.1:{free_port()}/api/v1", b"x")
    with pytest.raises(ApiError, match="could not be reached"):
        submit_file("not a url", b"x")


def test_an_answer_of_something_else_is_said_to_be_one(api: Api) -> None:
    api.answer = b"<html>"
    with pytest.raises(ApiError, match="does not answer as a TARSy does"):
        get(f"{api.url}/sessions")


def test_an_alert_is_sent_again_under_its_key_while_nobody_can_take_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsy_cli.api.PAUSE_SECONDS", 0.01)
    api.answers(ONE)
    api.first = [503, CUT, 502, 504]
    assert submit_file(api.url, b"x") == ["one"]
    assert len(api.asked) == 5
    assert len(set(api.keys)) == 1
    assert api.keys[0]
    assert submit_file(api.url, b"x") == ["one"]
    assert len(set(api.keys)) == 2


def test_who_is_away_for_a_moment_is_waited_for_and_that_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_cli.api.PAUSE_SECONDS", 0.01)
    failures: list[ApiError] = [UnreachableError("a"), UnavailableError("b"), UnreachableError("c")]
    told: list[str] = []

    def ask() -> str:
        if failures:
            raise failures.pop(0)
        return "here"

    assert (
        retry(ask, UnreachableError, UnavailableError, on_first_failure=lambda problem: told.append(str(problem)))
        == "here"
    )
    assert told == ["a"]


def test_patience_ends_and_is_for_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_cli.api.PAUSE_SECONDS", 0.01)
    asked: list[int] = []
    monkeypatch.setattr("tarsy_cli.api.time.monotonic", lambda: float(len(asked)))

    def ask() -> str:
        asked.append(1)
        raise UnreachableError("away")

    with pytest.raises(UnreachableError):
        retry(ask, UnreachableError, seconds=3)
    assert len(asked) == 4
    asked.clear()
    with pytest.raises(UnreachableError):
        retry(ask, UnavailableError)
    assert len(asked) == 1


def test_what_is_not_there_is_told_apart(api: Api) -> None:
    api.answers({"detail": "no such session"}, 404)
    with pytest.raises(NotFoundError, match="No such session"):
        get(f"{api.url}/sessions/x")


def test_an_alert_that_fires_now_is_the_same_with_another_beginning() -> None:
    webhook = {"version": "4", "alerts": [{"startsAt": "2020-01-01T00:00:00Z", "labels": {"a": "b"}}]}
    fired = json.loads(restart_alerts(json.dumps(webhook).encode(), datetime(2026, 11, 22, 3, 0, tzinfo=UTC)))
    assert fired == {"version": "4", "alerts": [{"startsAt": "2026-11-22T03:00:00.000Z", "labels": {"a": "b"}}]}


def test_a_webhook_of_grafana_goes_to_its_own_door(api: Api) -> None:
    api.answers(TWO)
    webhook = {"orgId": 1, "version": "1", "alerts": []}
    assert submit_file(api.url, json.dumps(webhook).encode()) == ["one", "two"]
    assert api.asked == [("/api/v1/alerts/grafana", webhook)]
