"""A task that nobody supervises may end without a word: each place that makes one is supervised, or is listed here.

A long-lived task is started by `Supervisor` (tarsy_service.supervision). Another one belongs here only if it ends by
itself, or if whoever made it waits for it and looks at how it ended.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MAKERS = {"create_task", "TaskGroup", "ensure_future", "gather", "create_task_group", "start_soon", "background_tasks"}

SHORT_LIVED = {
    "services/timeline/src/tarsy_timeline/api/requests/review_routes.py SeveralReviews.ask": "a question to each owner",
    # Whole processes
    "libs/service/src/tarsy_service/process/runner.py run_services": "services, and one that ends: on_ready",
    "libs/service/src/tarsy_service/process/runner.py _wait_until_stopped": "waits for the stop, beside the services",
    "libs/service/src/tarsy_service/supervision.py Supervisor.group": "the mechanism",
    "libs/service/src/tarsy_service/supervision.py SupervisedGroup._begin_task": "the mechanism",
    "apps/local/src/tarsy_local/supervisor/server_supervisor.py ServerSupervisor.run_with": "waits for both",
    "apps/local/src/tarsy_local/supervisor/process_group.py _wait_until_ended": "waits, with a limit",
    "apps/local/src/tarsy_local/supervisor/group_readiness.py GroupReadiness.ask": "a question to each, with a limit",
    "apps/local/src/tarsy_local/status.py ask_status": "a question to each process, with a limit",
    "apps/tarsy/src/tarsy_cli/doctor/runner.py examine": "checks, each with a limit, waited for",
    "apps/tarsy/src/tarsy_cli/doctor/clock.py check_clock": "a question to each clock, waited for",
    "apps/tarsy/src/tarsy_cli/doctor/models.py check_models": "a question to each model, waited for",
    # Kafka clients
    "libs/bus/src/tarsy_bus/background_tasks.py background_tasks": "for the life of a connection, and for tests",
    "libs/bus/src/tarsy_bus/queues/start_positions.py read_committed_offsets": "one question each, waited for",
    "libs/bus/src/tarsy_bus/queues/start_positions.py AssignedPartitions._read_starts": "questions, waited for",
    "libs/bus/src/tarsy_bus/queues/start_positions.py AssignedPartitions._read_bounds": "two questions, with a limit",
    "libs/bus/src/tarsy_bus/client/client_lifecycle.py start_client": "a start, waited for",
    "libs/bus/src/tarsy_bus/client/client_lifecycle.py stop_client": "a stop, with a limit",
    "libs/bus/src/tarsy_bus/client/aiokafka_internals/connections.py share_connections.close_shared": "waited for",
    "libs/bus/src/tarsy_bus/client/chunk_sender.py ChunkSender.run": "acknowledgements of a round, with a limit",
    "libs/bus/src/tarsy_bus/client/cluster_probe.py unreachable": "a connection to each broker, with a limit",
    "libs/bus/src/tarsy_bus/topics/cluster_topics.py read_topics": "two questions",
    # A part of the timeline's service: supervised, and started again
    "services/timeline/src/tarsy_timeline/parts.py Parts._run_once": "one life of a part; its end is looked at",
    "services/timeline/src/tarsy_timeline/rebuild/processes.py replay_in_processes": "processes, waited for",
    # One request, one client, one call
    "services/ingest/src/tarsy_ingest/intake/notice_intake.py accept_notices": "alerts of one request, waited for",
    "libs/auth/src/tarsy_auth/jwks.py Jwks._begin_refresh": "one fetch, with a limit; a failure is kept and logged",
    "apps/local/src/tarsy_local/front_door/http_proxy.py HttpProxy.http": "one request",
    "apps/local/src/tarsy_local/front_door/websocket_proxy.py _relay_both_ways": "one WebSocket",
    "libs/worker/src/tarsy_worker/service.py WorkerService.run": "calls and reports",
    "libs/worker/src/tarsy_worker/executor.py Executor._start_report": "one report",
    "libs/worker/src/tarsy_worker/executor.py Executor._start_run": "one call",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/progress.py _CallProgress.report": "may be lost",
    "services/websocket-gateway/src/tarsy_websocket_gateway/clients/connection.py Connection._serve_client": "a client",
    "services/websocket-gateway/src/tarsy_websocket_gateway/clients/connection.py Connection._start_work": "a history",
    "services/websocket-gateway/src/tarsy_websocket_gateway/timeline/endings.py Endings.run": "one end, with a limit",
    "services/websocket-gateway/src/tarsy_websocket_gateway/timeline/history_desk.py HistoryDesk.run": "one request",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/logins/renewal.py _wait_for_answer": "one request, with a limit",
    # One session with an MCP server: `McpConnection` opens another one when it ends, however it does
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/connection.py McpConnection.run": "sessions with one MCP server",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/connection.py McpConnection._run_one_session": "one session",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/per_session_pool.py PerSessionPool.run": "one for each session",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/per_session_pool.py PerSessionPool._open_session": "one session",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/session.py McpSession.run": "follows changes of one session",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/handshake.py Handshake.probe": "two questions, waited for",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/stderr_log.py standard_error": "one program",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/sse.py sse_streams": "one transport",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/sse.py _Posting.run": "one transport",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/stdio.py stdio_streams": "one transport",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/stdio_process.py ServerProcess.stop": "with a limit",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/stdio_process.py running": "a start, waited for",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/transports/stdio_process.py _wait_to_the_end": "an end, waits",
}


def test_every_task_is_supervised_or_known_to_be_short_lived() -> None:
    found = {f"{file.relative_to(ROOT)} {place}" for file in sources() for place in makers(file)}
    assert sorted(found - SHORT_LIVED.keys()) == [], "start it with a Supervisor, or list it here with its reason"
    assert sorted(SHORT_LIVED.keys() - found) == [], "it makes no task any more: take it off the list"


def test_a_new_task_would_be_found(tmp_path: Path) -> None:
    code = "class Reader:\n    async def run(self):\n        self.task = asyncio.create_task(self.follow())\n"
    (tmp_path / "new.py").write_text(code, "utf-8")
    assert list(makers(tmp_path / "new.py")) == ["Reader.run"]


def sources() -> Iterator[Path]:
    for folder in ("apps", "libs", "services"):
        yield from ROOT.glob(f"{folder}/*/src/**/*.py")


def makers(file: Path) -> Iterator[str]:
    """The functions that make tasks."""
    yield from _makers(ast.parse(file.read_text("utf-8")), ())


def _makers(node: ast.AST, inside: tuple[str, ...]) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _name(child.func) in MAKERS:
            yield ".".join(inside)
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from _makers(child, (*inside, str(getattr(child, "name", ""))) if named else inside)


def _name(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
