"""`tarsy doctor` on what answers HTTP: models, the page, /ready, MCP servers."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.doctor.findings import Check, CheckResult
from tarsy_cli.doctor.models import check_models
from tarsy_cli.doctor.runner import LimitedCheck, examine
from tarsy_cli.doctor.running import check_page, check_servers
from tarsy_cli.doctor.setup import Setup
from tarsy_contracts.api.system import McpServer, McpServers, McpTool
from tarsy_processes.ports import free_port
from tarsy_testing.servers.http_server import Quiet, serving

KEY = "sk-hush-hush"
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": None}]}  # fmt: skip
DONE = f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n"
CONFIG = """
defaults: {alert_type: kubernetes, llm_provider: mine}
llm_providers:
  mine: {type: openai, model: gpt-of-the-test, base_url: URL, api_key: KEY}
mcp_servers:
  tools: {transport: {type: stdio, command: COMMAND}}
agents:
  A: {mcp_servers: [tools]}
agent_chains:
  kubernetes: {alert_types: [kubernetes], stages: [{name: one, agents: [{name: A}]}]}
"""

SETUP = Setup(home=Path(), config_dir=Path(), environ={"PATH": "/usr/bin:/bin"}, why_not="no TARSy is ready")

type Answers = dict[str, tuple[int, str, str]]
"""Status, content type and body, by path."""


def looked(check: Check, setup: Setup) -> list[CheckResult]:
    found = asyncio.run(examine(setup, {"it": LimitedCheck(check, 60)}))
    assert KEY not in str(found)
    return found


@contextmanager
def answering(answers: Answers) -> Iterator[str]:
    class Handler(Quiet):
        def do_GET(self) -> None:
            status, kind, text = answers.get(self.path, (404, "text/plain", "not found"))
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self) -> None:
            self.body()
            self.do_GET()

    with serving(Handler) as url:
        yield url


def configured(
    folder: Path, url: str = "http://127.0.0.1:1", command: str = "sh", *, asks_models: bool = True
) -> Setup:
    text = CONFIG.replace("URL", url).replace("KEY", KEY).replace("COMMAND", command)
    (folder / "tarsy.yaml").write_text(text, "utf-8")
    return replace(SETUP, home=folder, config_dir=folder, asks_models=asks_models)


@pytest.mark.parametrize(
    ("answer", "status", "sentence", "remedy"),
    [
        ((200, "text/event-stream", DONE), "ok", "without tools: no TARSy is ready", ""),
        (
            (401, "application/json", json.dumps({"error": {"message": f"bad key {KEY}"}})),
            "failed",
            "401",
            "OPENAI_API_KEY",
        ),
        ((429, "application/json", json.dumps({"error": {"message": "slowly"}})), "warning", "429", "status page"),
        ((404, "application/json", json.dumps({"error": {"message": "no such model"}})), "failed", "404", "base_url"),
    ],
)
def test_a_model_is_asked_one_question(
    tmp_path: Path, answer: tuple[int, str, str], status: str, sentence: str, remedy: str
) -> None:
    with answering({"/chat/completions": answer}) as url:
        (found,) = looked(check_models, configured(tmp_path, url))
    assert (found.status, sentence in found.sentence, remedy in found.remedy) == (status, True, True), found


@contextmanager
def choosy(refused: set[str], tools: Sequence[str]) -> Iterator[tuple[str, list[list[str]]]]:
    """A TARSy with these tools, and a model that names one that it refuses. Yields what it was asked with."""
    asked: list[list[str]] = []
    shown = [McpTool(name=name, description=name, repeatable=True, annotations=None, read_only=name != "delete")
             for name in tools]  # fmt: skip
    seen = server("tools").model_copy(update={"tools": tuple(shown)}).model_dump_json()

    class Handler(Quiet):
        def do_GET(self) -> None:
            self.say(200, "application/json", seen)

        def do_POST(self) -> None:
            names = [tool["function"]["name"] for tool in json.loads(self.body()).get("tools", [])]
            asked.append(names)
            wrong = next((name for name in names if name in refused), None)
            if wrong is None:
                self.say(200, "text/event-stream", DONE)
            else:
                said = {"error": {"message": f"Invalid schema for function '{wrong}': no items", "param": "tools"}}
                self.say(400, "application/json", json.dumps(said))

        def say(self, status: int, kind: str, text: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

    with serving(Handler) as url:
        yield url, asked


@pytest.mark.parametrize(
    ("refused", "status", "sentence", "questions"),
    [
        (set[str](), "ok", "with 3 tools.", 1),
        (
            {"tools__pods", "tools__top"},
            "warning",
            "refuses tools that agents then have to do without: tools.pods, t",
            3,
        ),
    ],
)
def test_a_model_is_asked_with_the_tools_of_its_agents(
    tmp_path: Path, refused: set[str], status: str, sentence: str, questions: int
) -> None:
    with choosy(refused, ["delete", "logs", "pods", "top"]) as (url, asked):
        (found,) = looked(check_models, replace(configured(tmp_path, url), api=f"{url}/api/v1"))
    assert (found.status, sentence in found.sentence) == (status, True), found
    assert asked[0] == ["tools__logs", "tools__pods", "tools__top"]
    assert len(asked) == questions


def test_a_model_that_nobody_serves_fails_and_one_that_is_not_to_be_asked_is_not(tmp_path: Path) -> None:
    (found,) = looked(check_models, configured(tmp_path, f"http://127.0.0.1:{free_port()}"))
    assert (found.status, "cannot be reached" in found.sentence) == ("failed", True)
    (found,) = looked(check_models, configured(tmp_path, asks_models=False))
    assert (found.status, found.sentence) == ("not_checked", "Models are not asked (--no-models): mine.")


def ready(status: int = 200, **told: object) -> tuple[int, str, str]:
    return status, "application/json", json.dumps({"ready": status == 200} | told)


PAGE = (200, "text/html", "<html>")


@pytest.mark.parametrize(
    ("answers", "statuses", "sentence"),
    [
        ({"/": PAGE, "/ready": ready()}, ["ok", "ok"], "It is ready."),
        ({"/ready": ready()}, ["failed", "ok"], "answers 404"),
        (
            {"/": PAGE, "/ready": ready(503, waiting_for=["ingest", "timeline"], reasons={"timeline": ["no Kafka"]})},
            ["ok", "failed"],
            "It is not ready (timeline: no Kafka; ingest).",
        ),
        ({"/": PAGE, "/ready": ready(degraded={"timeline": ["history"]})}, ["ok", "warning"], "timeline: history"),
        ({"/": PAGE, "/ready": PAGE}, ["ok", "failed"], "not what a TARSy"),
    ],
)
def test_the_page_and_ready_are_asked(answers: Answers, statuses: list[str], sentence: str) -> None:
    with answering(answers) as url:
        found = looked(check_page, replace(SETUP, api=f"{url}/api/v1"))
    assert [one.status for one in found] == statuses
    assert any(sentence in one.sentence for one in found), found


def test_a_page_that_is_away_is_told() -> None:
    address = f"http://127.0.0.1:{free_port()}"
    (found,) = looked(check_page, replace(SETUP, api=f"{address}/api/v1"))
    assert (found.status, found.sentence.startswith(f"{address} does not answer")) == ("failed", True)


def server(name: str, *, error: str | None = None, misconfigured: bool = False) -> McpServer:
    return McpServer(
        id=name, healthy=error is None, misconfigured=misconfigured, error=error, last_check=None,
        protocol_version="", server_version="", tool_count=3, tools=(), workers=(),
    )  # fmt: skip


def test_mcp_servers_are_told_as_the_gateways_see_them(tmp_path: Path) -> None:
    read = McpTool(name="read", description="", repeatable=True, annotations=None, read_only=True, allowed=True)
    servers = McpServers(
        servers=(
            server("a"),
            server("b", error="no such command", misconfigured=True),
            server("c", error="refused"),
            server("tools").model_copy(update={"tools": (read,)}),
        )
    )
    answer = (200, "application/json", servers.model_dump_json())
    with answering({"/api/v1/system/mcp-servers": answer}) as url:
        found = looked(check_servers, replace(configured(tmp_path), api=f"{url}/api/v1"))
    assert [(one.status, one.sentence) for one in found] == [
        ("ok", "a is healthy and has 3 tools."),
        ("failed", "b is configured wrongly: no such command."),
        ("failed", "c cannot be reached: refused."),
        ("ok", "tools is healthy and has 3 tools."),
        ("ok", "A (kubernetes, one) has 1 tool."),
    ]


def test_an_agent_without_tools_fails_and_the_line_that_changes_it_is_told(tmp_path: Path) -> None:
    query = McpTool(name="query", description="", repeatable=False, annotations=None, allowed=False)
    lone = server("tools").model_copy(update={"tools": (query,), "denied_count": 1})
    answer = (200, "application/json", McpServers(servers=(lone,)).model_dump_json())
    with answering({"/api/v1/system/mcp-servers": answer}) as url:
        _, found = looked(check_servers, replace(configured(tmp_path), api=f"{url}/api/v1"))
        checked = CliRunner().invoke(cli, ["config", "check", str(tmp_path), "--live", "--url", url])
        shown = CliRunner().invoke(cli, ["config", "show", str(tmp_path), "--live", "--url", url])
    assert found.status == "failed"
    assert "`mcp_servers.tools.allow: [query]`" in found.sentence
    assert checked.exit_code == 1
    assert "Agents without tools: A." in checked.output
    assert "`mcp_servers.tools.allow: [query]`" in checked.output
    assert "agent_tools:" in shown.output


def test_an_api_that_does_not_tell_of_servers_leaves_them_unchecked() -> None:
    with answering({}) as url:
        (found,) = looked(check_servers, replace(SETUP, api=f"{url}/api/v1"))
    assert found.status == "not_checked"


@pytest.mark.parametrize(("command", "statuses"), [("sh", ["not_checked"]), ("no-such", ["failed", "not_checked"])])
def test_where_nothing_runs_the_programs_of_servers_are_looked_for(
    tmp_path: Path, command: str, statuses: list[str]
) -> None:
    found = looked(check_servers, configured(tmp_path, command=command))
    assert [one.status for one in found] == statuses
