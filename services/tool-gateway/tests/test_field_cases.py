"""What servers and models of the field write, one file a case: a new case is a new file."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult, Tool, methods

from tarsy_tool_gateway.mcp.arguments import ArgumentChecks
from tarsy_tool_gateway.mcp.tool_server import render
from tarsy_tool_gateway.results.salvage import salvage_result

HERE = Path(__file__).parent
VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")


def cases(folder: str) -> list[Any]:
    files = sorted((HERE / folder).glob("*.json"))
    return [pytest.param(json.loads(file.read_text("utf-8")), id=file.stem) for file in files]


def checks(**schemas: Any) -> ArgumentChecks:
    return ArgumentChecks({"tool": Tool(name="tool", **{"input_schema": {"type": "object"}, **schemas})})


@pytest.mark.parametrize("case", cases("salvaged_results"))
async def test_an_odd_result_shows_all_that_was_found(case: dict[str, Any]) -> None:
    salvaged = salvage_result(case["result"])
    for version in VERSIONS:
        methods.validate_server_result("tools/call", version, salvaged)
    result = CallToolResult.model_validate(salvaged, by_name=False)
    remark = checks(output_schema=case["output_schema"]).remark_on("tool", result)
    assert await render(result, remark) == case["shows"]
    assert result.is_error is bool(case["result"].get("isError"))


@pytest.mark.parametrize("case", cases("quoted_arguments"))
def test_quotes_are_left_out_where_only_the_value_in_them_fits(case: dict[str, Any]) -> None:
    sent = checks(input_schema=case["schema"]).coerce("tool", case["arguments"])
    assert json.dumps(sent) == json.dumps(case["sent"])
