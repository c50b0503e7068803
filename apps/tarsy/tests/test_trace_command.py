"""`tarsy trace`: what the API is asked for, and what people read of its answer."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from typer.testing import CliRunner, Result

from tarsy_cli.app import cli
from tarsy_cli.lists.traces import INCOMPLETE, VERIFIED
from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.api.trace import (
    AvailableTool,
    ListedLlmInteraction,
    ListedMcpInteraction,
    LlmInteraction,
    McpInteraction,
    SessionTrace,
    TracedExecution,
    TracedMessage,
    TracedStage,
    TracedToolCall,
    TracedToolResult,
)

SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
PATH = f"/api/v1/sessions/{SESSION}/trace"
AT = "2026-11-22T10:00:00.000Z"
ASKED = ListedLlmInteraction(
    id="l1", interaction_type="iteration", llm_provider="gemini", model_name="gemini-3", input_tokens=1000,
    output_tokens=200, total_tokens=1200, thinking_tokens=None, cached_input_tokens=None, cache_written_tokens=None,
    duration_ms=1500, error_message=None, created_at=AT,
)  # fmt: skip
CALLED = ListedMcpInteraction(
    id="m1", interaction_type="tool_call", server_name="k8s", tool_name="pods_log", outcome="tool_error",
    duration_ms=20, error_message="no\nsuch pod", created_at=AT,
)  # fmt: skip
TRACE = SessionTrace(
    session_id=SESSION, last_number=9, complete=False, session_interactions=(), session_mcp_interactions=(CALLED,),
    stages=(
        TracedStage(
            stage_id="s", stage_name="look", stage_type="investigation", referenced_stage_id=None,
            executions=(
                TracedExecution(
                    execution_id="e", agent_name="Pods\x1b[2J", llm_interactions=(ASKED,), mcp_interactions=(CALLED,),
                    cost=0.5, cost_completeness="partial", unpriced_calls=1,
                ),
            ),
        ),
    ),
)  # fmt: skip
QUESTION = LlmInteraction(
    **dict(ASKED), execution_id="e", tool_call_id=None, thinking_content=None, llm_request=None, llm_response=None,
    conversation=(
        TracedMessage(role="system", content="You are an SRE."),
        TracedMessage(
            role="assistant", content="I look.",
            tool_calls=(TracedToolCall(id="c", name="k8s__pods_log", arguments={"pod": "ä"}),),
        ),
        TracedMessage(role="tool", content="none", tool_call_id="c", tool_name="k8s__pods_log"),
    ),
    answer=TracedMessage(role="assistant", content="A leak."), tools=(), request_digest="d", verified=True,
    missing=None,
)  # fmt: skip
CALL = McpInteraction(
    **dict(CALLED), execution_id="e", llm_interaction_id="l1", tool_arguments={"pod": "api-7"},
    tool_result=TracedToolResult(content="no such pod", is_error=True, cut=True, size=9, lines=5000, whole="/there"),
    learned_result=None, available_tools=None,
)  # fmt: skip


@dataclass
class Timeline:
    """An API that answers so."""

    url: str = ""
    status: int = 200
    body: bytes = b""
    asked: list[str] = field(default_factory=list)

    def says(self, found: ApiModel) -> None:
        self.body = found.model_dump_json().encode()

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, ["trace", SESSION, "--url", self.url, *arguments])


@pytest.fixture
def timeline() -> Iterator[Timeline]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            one.asked.append(self.path)
            self.send_response(one.status)
            self.send_header("content-length", str(len(one.body)))
            self.end_headers()
            self.wfile.write(one.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        one = Timeline(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield one
        server.shutdown()


def test_interactions_are_listed_by_stage_and_agent_and_nothing_of_them_moves_the_cursor(timeline: Timeline) -> None:
    timeline.says(TRACE)
    shown = timeline.run()
    assert timeline.asked == [PATH]
    call = "mcp m1 k8s.pods_log, tool_error, 0.0 s, no such pod"
    assert shown.stdout.splitlines() == [
        "look (investigation)",
        "  Pods�[2J (at least $0.5000)",
        "    llm l1 iteration gemini-3, 1.5 s, 1,200 tokens",
        f"    {call}",
        "session",
        f"    {call}",
        INCOMPLETE,
    ]


def test_sub_agents_are_listed_below_the_agent_that_sent_them(timeline: Timeline) -> None:
    (stage,) = TRACE.stages
    lead = stage.executions[0].model_copy(
        update={"agent_name": "Lead", "mcp_interactions": (), "cost": None, "unpriced_calls": 0}
    )
    other = lead.model_copy(update={"execution_id": "o", "agent_name": "Other", "llm_interactions": ()})
    logs = lead.model_copy(
        update={"execution_id": "l", "agent_name": "Logs", "parent_execution_id": "e", "task": "errors in shop"}
    )
    stages = (stage.model_copy(update={"executions": (lead, other, logs)}),)
    timeline.says(TRACE.model_copy(update={"stages": stages, "session_mcp_interactions": (), "complete": True}))
    question = "llm l1 iteration gemini-3, 1.5 s, 1,200 tokens"
    assert timeline.run().stdout.splitlines()[1:] == [
        "  Lead",
        f"    {question}",
        "    Logs, sent for: errors in shop",
        f"      {question}",
        "  Other",
    ]


def test_a_question_is_shown_message_by_message_and_whether_it_is_verified(timeline: Timeline) -> None:
    timeline.says(QUESTION)
    shown = timeline.run("--llm", "l1")
    assert timeline.asked == [f"{PATH}/llm/l1"]
    assert VERIFIED[True] in shown.stdout
    assert "=== SYSTEM ===\nYou are an SRE.\n" in shown.stdout
    assert '=== ASSISTANT ===\nI look.\n--> k8s__pods_log {"pod": "ä"}\n' in shown.stdout
    assert "=== TOOL (k8s__pods_log) ===\nnone\n" in shown.stdout
    assert shown.stdout.endswith("=== ANSWER ===\nA leak.\n")


def test_a_conversation_that_cannot_be_made_again_says_why(timeline: Timeline) -> None:
    timeline.says(QUESTION.model_copy(update={"conversation": None, "missing": "it is no longer kept"}))
    assert "The conversation cannot be reconstructed: it is no longer kept." in timeline.run("--llm", "l1").stdout


def test_a_call_is_shown_with_its_arguments_and_its_answer(timeline: Timeline) -> None:
    timeline.says(CALL)
    shown = timeline.run("--mcp", "m1")
    assert timeline.asked == [f"{PATH}/mcp/m1"]
    assert '=== ARGUMENTS ===\n{\n  "pod": "api-7"\n}' in shown.stdout
    assert "=== RESULT ===\nno such pod" in shown.stdout
    assert "`tarsy result` shows all of it (5,000 lines)" in shown.stdout


def test_the_tools_of_a_server_are_shown_with_what_they_do(timeline: Timeline) -> None:
    tools = (AvailableTool(name="pods_log", description="reads a log", input_schema={}),)
    update = {"available_tools": tools, "tool_result": None, "tool_arguments": None, "tool_name": None}
    timeline.says(CALL.model_copy(update=update))
    assert "pods_log: reads a log" in timeline.run("--mcp", "m1").stdout


def test_programs_get_the_api_s_answer(timeline: Timeline) -> None:
    timeline.says(TRACE)
    assert json.loads(timeline.run("--json").stdout) == TRACE.model_dump(mode="json")


def test_two_interactions_at_once_and_one_that_is_not_there_end_with_a_sentence(timeline: Timeline) -> None:
    both = timeline.run("--llm", "l1", "--mcp", "m1")
    assert (both.exit_code, timeline.asked) == (2, [])
    timeline.status, timeline.body = 404, json.dumps({"detail": "Session has no such call."}).encode()
    gone = timeline.run("--mcp", "nothing")
    assert gone.exit_code == 1
    assert "Session has no such call." in gone.stderr
