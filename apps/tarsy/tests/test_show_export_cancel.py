"""`tarsy show`, `tarsy export`, `tarsy cancel`, and `--json` of the lists, on an API that answers so."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from tarsy_cli.app import cli
from tarsy_cli.session.overview import print_overview
from tarsy_contracts.api.session_lists import SessionList
from tarsy_contracts.api.sessions import SessionDetail
from tarsy_contracts.api.system import HeldSessionList, McpServers
from tarsy_contracts.api.timeline import SessionHistory
from tarsy_testing.servers.http_server import Quiet, serving
from tarsy_testing.story.cli_answers import SESSION

ID = "331ab85e-268a-5a26-9533-de21a57501a1"
OTHER = f"4{ID[1:]}"
EXECUTION = {
    "execution_id": "e", "agent_name": "Agent\x1b[2J", "agent_index": 1, "status": "completed", "error_message": None,
    "fallback_reason": None, "fallback_error_code": None, "fallback_attempt": None, "model_name": "gpt-of-the-test",
    "iterations": 3, "llm_interaction_count": 3, "mcp_interaction_count": 2, "input_tokens": 0, "output_tokens": 0,
    "total_tokens": 0, "started_at": "2026-11-22T10:00:00.000Z", "completed_at": None, "duration_ms": 65_000,
    "number": 9,
}  # fmt: skip
STAGE = {
    "id": "st", "stage_name": "investigation", "stage_index": 1, "status": "completed", "error_message": None,
    "started_at": "2026-11-22T10:00:00.000Z", "completed_at": None, "duration_ms": 66_000, "number": 9,
    "executions": [EXECUTION],
}  # fmt: skip
DETAIL = SESSION | {
    "id": ID, "title": "Checkout is down", "severity": "critical", "status": "completed", "duration_ms": 70_500,
    "llm_interaction_count": 3, "mcp_interaction_count": 1, "input_tokens": 12_000, "output_tokens": 900,
    "cached_input_tokens": 8_000, "last_number": 39, "alert_data": "\n".join(f"line {n}" for n in range(30)),
    "final_analysis": "# The cause\nA *quota*.", "executive_summary": "Raise it.", "runbook_url": None,
    "mcp_selection": None, "stages": [STAGE],
    "evidence_limits": ["Logs has no tools of the MCP server loki: it lists none."],
}  # fmt: skip
EVENT: dict[str, object] = {
    "id": "t", "session_id": ID, "stage_id": None, "execution_id": None, "sequence_number": 1,
    "event_type": "llm_response", "status": "completed", "content": "é", "metadata": {},
    "created_at": "2026-11-22T10:00:00.000Z", "updated_at": "2026-11-22T10:00:00.000Z", "number": 5,
}  # fmt: skip
HIGHLIGHT = {
    "source": "final_analysis",
    "event_id": "t",
    "segments": [
        {"text": "… the pod\n", "match": False},
        {"text": "checkout-7d9f\x1b[2J", "match": True},
        {"text": " [bold]ran", "match": False},
    ],
}
LISTS: dict[str, object] = {
    "/api/v1/sessions?page_size=25": {
        "sessions": [SESSION | {"id": ID}],
        "pagination": {"page": 1, "page_size": 25, "total_pages": 1, "total_items": 1},
    },
    "/api/v1/sessions?page_size=25&search=checkout-7d9f": {
        "sessions": [SESSION | {"id": ID, "highlights": [HIGHLIGHT]}],
        "pagination": {"page": 1, "page_size": 25, "total_pages": 3, "total_items": 61},
    },
    "/api/v1/sessions?page_size=25&search=nothing": {
        "sessions": [],
        "pagination": {"page": 1, "page_size": 25, "total_pages": 0, "total_items": 0},
    },
    "/api/v1/system/mcp-servers?tools=none": {"servers": []},
    "/api/v1/system/held-sessions": {"sessions": [], "total_items": 0},
    f"/api/v1/sessions/{ID}": DETAIL,
    f"/api/v1/sessions/{ID}/timeline?at_least=39": [EVENT],
}
BODIES: list[object] = []
ANSWERS: dict[str, tuple[int, object]] = {path: (200, body) for path, body in LISTS.items()} | {
    f"/api/v1/sessions/{ID}/cancel": (200, {"message": "The session is being cancelled."}),
    f"/api/v1/sessions/{OTHER}/cancel": (409, {"detail": "the session has ended"}),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    class Handler(Quiet):
        def do_GET(self) -> None:
            status, body = ANSWERS.get(self.path, (404, {"detail": "there is no such session"}))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def do_POST(self) -> None:
            assert self.headers["Idempotency-Key"]
            sent = self.rfile.read(int(self.headers["Content-Length"] or 0))
            BODIES.append(json.loads(sent) if sent else None)
            self.do_GET()

    BODIES.clear()
    with serving(Handler) as url:
        yield url


def run(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--url", url])


def test_a_search_shows_where_its_words_are(url: str) -> None:
    found = run(url, "sessions", "--search", "checkout-7d9f")
    assert found.exit_code == 0
    assert ID in found.stdout
    line = next(line for line in found.stdout.splitlines() if "final_analysis" in line)
    assert "the pod checkout-7d9f" in line
    assert "[bold]ran" in line
    assert "\x1b[2J" not in found.stdout
    assert "60 more: add a word." in found.stdout
    assert "No session has all these words." in run(url, "sessions", "--search", "nothing").stdout


def test_a_session_is_shown_with_its_figures_and_conclusions(url: str) -> None:
    shown = run(url, "show", ID)
    lines = [line.rstrip() for line in shown.output.splitlines()]
    assert lines[:3] == ["Checkout is down · critical · api", f"session {ID}", "completed"]
    assert lines.pop(3) == "limited evidence: Logs has no tools of the MCP server loki: it lists none."
    assert lines[3].startswith("began 2026-11-22 ")
    assert lines[3].endswith(", 1 min 10 s, chain c")
    assert lines[4] == "3 questions to models, 1 tool call, 12,000 tokens in (8,000 from caches), 900 out"
    assert lines[5:7] == [
        "  investigation: completed, 1 min 6 s",
        "    Agent�[2J (gpt-of-the-test): completed, 1 min 5 s, 3 iterations",
    ]
    assert "line 19" in lines
    assert "line 20" not in lines
    assert "… 10 more lines" in shown.output
    assert [line for line in lines if "The cause" in line or "Raise it." in line]
    assert shown.exit_code == 0


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ({}, "cost not known: its models have no price"),
        ({"cost": 0.25, "cost_completeness": "complete"}, "cost $0.2500"),
        (
            {"cost": 1.5, "cost_completeness": "partial", "unpriced_interaction_count": 2},
            "cost at least $1.5000, without 2 answers of models that have no price",
        ),
    ],
)
def test_a_cost_that_is_not_known_is_said(known: dict[str, object], line: str) -> None:
    console = Console(file=io.StringIO(), width=120)
    print_overview(SessionDetail.model_validate(DETAIL | {"total_tokens": 12_900} | known), console)
    assert isinstance(console.file, io.StringIO)
    assert line in console.file.getvalue().splitlines()


def test_a_session_without_tokens_has_no_line_of_cost() -> None:
    console = Console(file=io.StringIO(), width=120)
    print_overview(SessionDetail.model_validate(DETAIL | {"total_tokens": 0}), console)
    assert isinstance(console.file, io.StringIO)
    assert "cost" not in console.file.getvalue()


def test_a_partial_analysis_says_so_and_why() -> None:
    console = Console(file=io.StringIO(), width=120)
    agent = EXECUTION | {"partial_reason": "the context is full"}
    stages = [STAGE | {"executions": [agent]}]
    found = {"partial_reason": "Agent: the context is full", "stages": stages}
    print_overview(SessionDetail.model_validate(DETAIL | found), console)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "completed with a partial analysis (Agent: the context is full)\n" in shown
    assert "completed with a partial analysis (the context is full), 1 min 5 s, 3 iterations" in shown


def test_sub_agents_stand_below_the_agent_that_sent_them_with_their_task() -> None:
    console = Console(file=io.StringIO(), width=120)
    sent = {"parent_execution_id": "e", "task": "errors\nin shop", "agent_name": "Logs", "model_name": None}
    below = sent | {"parent_execution_id": "e2", "task": "x" * 500, "agent_name": "Deep"}
    agents = [EXECUTION, EXECUTION | {"execution_id": "e3", "agent_name": "Other"}]
    agents += [EXECUTION | {"execution_id": "e2"} | sent, EXECUTION | {"execution_id": "e4"} | below]
    print_overview(SessionDetail.model_validate(DETAIL | {"stages": [STAGE | {"executions": agents}]}), console)
    assert isinstance(console.file, io.StringIO)
    lines = [" ".join(line.split(":")[:1]) for line in console.file.getvalue().splitlines()]
    shown = [line for line in lines if line.startswith("    ")]
    assert shown[:4] == [
        "    Agent\ufffd[2J (gpt-of-the-test)",
        "      Logs",
        "        Deep",
        "    Other (gpt-of-the-test)",
    ]
    assert "3 iterations, sent for: errors in shop\n" in console.file.getvalue()


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ({"cost": 0.0123, "cost_completeness": "complete"}, ", $0.0123"),
        ({"cost": 0.0123, "cost_completeness": "partial", "unpriced_calls": 1}, ", at least $0.0123"),
        ({"cost": None, "cost_completeness": "none", "unpriced_calls": 3}, ", cost unknown"),
        ({}, ""),
    ],
)
def test_each_agent_has_its_cost_and_an_unknown_one_is_said(cost: dict[str, object], words: str) -> None:
    console = Console(file=io.StringIO(), width=120)
    stages = [STAGE | {"executions": [EXECUTION | cost]}]
    print_overview(SessionDetail.model_validate(DETAIL | {"stages": stages}), console)
    assert isinstance(console.file, io.StringIO)
    assert f"3 iterations{words}\n" in console.file.getvalue()


def test_programs_get_the_models_of_the_api(url: str) -> None:
    assert SessionDetail.model_validate_json(run(url, "show", ID, "--json").output).alert_data == DETAIL["alert_data"]
    assert SessionList.model_validate_json(run(url, "sessions", "--json").output).sessions[0].id == ID
    assert McpServers.model_validate_json(run(url, "servers", "--json").output).servers == ()
    assert HeldSessionList.model_validate_json(run(url, "held", "--json").output).total_items == 0


def test_an_export_is_the_session_with_its_timeline(url: str, tmp_path: Path) -> None:
    exported = SessionHistory.model_validate_json(run(url, "export", ID).output)
    assert (exported.last_number, exported.session.id, exported.timeline[0].content) == (39, ID, "é")
    file = tmp_path / "session.json"
    done = run(url, "export", ID, "--output", str(file))
    assert (done.stdout, SessionHistory.model_validate_json(file.read_bytes())) == ("", exported)
    refused = run(url, "export", ID, "--output", str(tmp_path / "none" / "x"))
    assert (refused.exit_code, "could not be written" in refused.stderr) == (1, True)


@pytest.mark.parametrize("command", ["show", "export"])
def test_a_session_that_is_not_there_is_a_sentence(url: str, command: str) -> None:
    refused = run(url, command, OTHER)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "There is no such session" in refused.stderr


def test_the_reason_of_a_cancellation_is_sent_with_it(url: str) -> None:
    assert run(url, "cancel", ID).exit_code == 0
    assert run(url, "cancel", ID, "--reason", "a drill").exit_code == 0
    assert BODIES == [None, {"reason": "a drill"}]


def test_each_session_is_cancelled_and_a_refusal_is_told(url: str) -> None:
    done = run(url, "cancel", ID)
    assert (done.exit_code, done.output) == (0, f"{ID}: The session is being cancelled.\n")
    refused = run(url, "cancel", OTHER, ID)
    assert refused.exit_code == 1
    assert "The session has ended" in " ".join(refused.output.split())
    assert "is being cancelled" in refused.output
