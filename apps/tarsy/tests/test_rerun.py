"""`tarsy rerun`, on an API that answers so; the API's own model reads what is sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_contracts.api.requests import RerunRequest
from tarsy_testing.servers.http_server import Quiet, serving

ID = "331ab85e-268a-5a26-9533-de21a57501a1"
NEW = f"5{ID[1:]}"
REFUSED = "/alert_type: no chain has this alert type; known: network"

type Sent = list[tuple[dict[str, Any], str]]


@pytest.fixture
def sent() -> Sent:
    return []


@pytest.fixture
def url(sent: Sent) -> Iterator[str]:
    class Handler(Quiet):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != f"/api/v1/sessions/{ID}/rerun":
                return self._answer(404, {"detail": "no such session"})
            if body.get("alert_type", "network") != "network":
                return self._answer(400, {"detail": REFUSED})
            sent.append((body, self.headers["Idempotency-Key"]))
            return self._answer(202, {"session_id": NEW, "parent_id": ID})

        def _answer(self, status: int, body: object) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

    with serving(Handler) as url:
        yield url


def test_each_run_is_a_session_of_its_own(url: str, sent: Sent) -> None:
    for _ in range(2):
        done = CliRunner().invoke(cli, ["rerun", ID, "--url", url])
        assert (done.exit_code, done.output) == (0, f"{NEW}\n")
    (first, first_key), (second, second_key) = sent
    assert first == second == {}
    assert first_key != second_key


def test_a_run_may_have_another_chain_model_and_tools_and_a_question(url: str, sent: Sent) -> None:
    options = ["--alert-type", "network", "--llm-provider", "other", "--mcp-server", "logs", "--mcp-server", "metrics"]
    CliRunner().invoke(cli, ["rerun", ID, *options, "--question", "Since when?", "--priority", "low", "--url", url])
    changes = RerunRequest.model_validate(sent[0][0])
    assert (changes.alert_type, changes.llm_provider, changes.question) == ("network", "other", "Since when?")
    assert changes.priority == "low"
    assert changes.mcp is not None
    assert [server.name for server in changes.mcp.servers] == ["logs", "metrics"]
    assert sent[0][0]["mcp"] == {"servers": [{"name": "logs"}, {"name": "metrics"}]}


def test_a_name_that_the_configuration_does_not_have_is_told(url: str, sent: Sent) -> None:
    refused = CliRunner().invoke(cli, ["rerun", ID, "--alert-type", "netwrok", "--url", url])
    assert (refused.exit_code, sent) == (1, [])
    assert "known: network" in refused.output


def test_a_name_that_no_request_can_have_sends_nothing(url: str, sent: Sent) -> None:
    refused = CliRunner().invoke(cli, ["rerun", ID, "--llm-provider", "x" * 201, "--url", url])
    assert (refused.exit_code, sent) == (1, [])
    assert "llm_provider" in refused.output


def test_a_session_that_is_not_there_sends_nothing(url: str, sent: Sent) -> None:
    refused = CliRunner().invoke(cli, ["rerun", NEW, "--url", url])
    assert (refused.exit_code, sent) == (1, [])
    assert "No such session" in refused.output
