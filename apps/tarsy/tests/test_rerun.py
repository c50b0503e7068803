"""`tarsy rerun`, on an API that answers so; ingest's own model reads what is sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli_answers import SESSION
from tarsy_http import Quiet, serving
from tarsy_ingest.submission import Submission

ID = "331ab85e-268a-5a26-9533-de21a57501a1"
PLAIN = f"4{ID[1:]}"
NEW = f"5{ID[1:]}"
DETAIL = SESSION | {
    "alert_type": "crash", "alert_data": "pod [MASKED_TOKEN_1] crashes", "final_analysis": None, "stages": [],
    "title": "t", "last_number": 3, "runbook_url": None, "mcp_selection": None,
}  # fmt: skip
CHOSEN = {
    "runbook_url": "https://github.com/x/y/blob/main/a.md",
    "mcp_selection": {
        "servers": [{"name": "kubernetes", "tools": ["pods_list"]}],
        "native_tools": {"google_search": True, "code_execution": None, "url_context": None},
    },
}
SESSIONS = {f"/api/v1/sessions/{ID}": DETAIL | CHOSEN | {"id": ID}, f"/api/v1/sessions/{PLAIN}": DETAIL | {"id": PLAIN}}


@pytest.fixture
def sent() -> list[tuple[dict[str, Any], str]]:
    return []


@pytest.fixture
def url(sent: list[tuple[dict[str, Any], str]]) -> Iterator[str]:
    class Handler(Quiet):
        def do_GET(self) -> None:
            self._answer(200 if self.path in SESSIONS else 404, SESSIONS.get(self.path, {"detail": "no such session"}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent.append((body, self.headers["Idempotency-Key"]))
            self._answer(202, {"session_id": NEW})

        def _answer(self, status: int, body: object) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

    with serving(Handler) as url:
        yield url


def test_the_alert_is_sent_again_with_what_its_sender_chose(url: str, sent: list[tuple[dict[str, Any], str]]) -> None:
    done = CliRunner().invoke(cli, ["rerun", ID, "--url", url])
    assert (done.exit_code, done.output) == (0, f"{NEW}\n")
    again = Submission.model_validate(sent[0][0])
    assert (again.alert_type, again.data) == ("crash", "pod [MASKED_TOKEN_1] crashes")
    assert again.runbook == CHOSEN["runbook_url"]
    assert again.mcp is not None
    assert [(one.name, one.tools) for one in again.mcp.servers] == [("kubernetes", ("pods_list",))]
    assert again.mcp.native_tools is not None
    assert again.mcp.native_tools.google_search is True
    assert again.mcp.native_tools.url_context is None


def test_each_run_is_a_session_of_its_own(url: str, sent: list[tuple[dict[str, Any], str]]) -> None:
    for _ in range(2):
        assert CliRunner().invoke(cli, ["rerun", PLAIN, "--url", url]).exit_code == 0
    (first, first_key), (second, second_key) = sent
    assert first == second == {"alert_type": "crash", "data": DETAIL["alert_data"]}
    assert first_key != second_key


def test_another_alert_type_is_another_chain(url: str, sent: list[tuple[dict[str, Any], str]]) -> None:
    CliRunner().invoke(cli, ["rerun", PLAIN, "--alert-type", "network", "--url", url])
    assert sent[0][0]["alert_type"] == "network"


def test_a_session_that_is_not_there_sends_nothing(url: str, sent: list[tuple[dict[str, Any], str]]) -> None:
    refused = CliRunner().invoke(cli, ["rerun", NEW, "--url", url])
    assert (refused.exit_code, sent) == (1, [])
    assert "no such session" in refused.output
