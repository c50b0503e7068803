"""What agents and page see of a real server."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from gateway_owner import Owner, call, seen_by

from real_servers.subjects import GRAFANA
from real_servers.talking import Serve, plan

type Running = Callable[..., AbstractAsyncContextManager[Any]]


async def test_no_tool_of_grafana_is_lost_on_the_way_to_the_catalog(
    serve: Serve, owner: Owner, running: Running
) -> None:
    async with running(plan("grafana", serve(GRAFANA, "stdio"))):
        request = call("get_tempo_traceql_docs", server="grafana", repeatable=True, topic="basic")
        await owner.ask(request)
        result = await owner.result(request)
        seen = await seen_by(owner, result.worker_id, healthy=True, server="grafana")
    assert len({tool.tool for tool in seen.tools}) == GRAFANA.tools == 79
    assert {tool.tool for tool in seen.tools if not tool.repeatable} == GRAFANA.unrepeatable
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in seen.tools)
