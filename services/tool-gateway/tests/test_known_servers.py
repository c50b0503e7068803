"""What is known of popular servers counts where they say nothing themselves, and an operator can refuse it."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mcp_types import Tool, ToolAnnotations

from tarsy_tool_gateway.mcp.known_servers import KNOWN_SERVERS
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, with_known_tools
from tarsy_tool_gateway.mcp.tool_access import LIBRARY_DEFAULTS, is_read_only

type NewPlan = Callable[[], ServerPlan]
PAGE = Path(__file__).parents[3] / "docs/reference/known-servers.md"
CHANGING = re.compile("create|update|delete|add_|exec$|run$|scale|manage|write|apply|push|configuration_view")


def tool(notes: ToolAnnotations | None, name: str = "loki_query") -> Tool:
    return Tool(name=name, input_schema={"type": "object"}, annotations=notes)


@pytest.mark.parametrize(
    ("notes", "read_only"),
    [
        (None, True),
        (ToolAnnotations(title="Query"), True),
        (LIBRARY_DEFAULTS, True),
        (LIBRARY_DEFAULTS.model_copy(update={"title": "Query"}), True),
        (ToolAnnotations(read_only_hint=False), False),
        (ToolAnnotations(read_only_hint=False, destructive_hint=False), False),
    ],
)
def test_a_known_tool_is_read_only_unless_its_server_says_otherwise(
    new_plan: NewPlan, notes: ToolAnnotations | None, read_only: bool
) -> None:
    plan = with_known_tools(new_plan(), "Loki MCP Server", "0.1.0")
    assert is_read_only(tool(notes), plan) is read_only
    assert not is_read_only(tool(notes, "loki_delete"), plan)


@pytest.mark.parametrize(("name", "version"), [("Loki MCP Server", "1.0.0"), ("loki", "0.1.0"), ("", "")])
def test_neither_another_name_nor_another_version_is_known(new_plan: NewPlan, name: str, version: str) -> None:
    assert not is_read_only(tool(None), with_known_tools(new_plan(), name, version))


def test_the_operator_refuses_the_table_or_one_tool_of_it(new_plan: NewPlan) -> None:
    refused = replace(new_plan(), use_known_tools=False)
    assert not is_read_only(tool(None), with_known_tools(refused, "Loki MCP Server", "0.1.0"))
    but_one = replace(new_plan(), unrepeatable_tools=frozenset({"loki_query"}))
    assert not is_read_only(tool(None), with_known_tools(but_one, "Loki MCP Server", "0.1.0"))


def test_the_table_names_nothing_that_changes_something_and_stands_in_the_manual() -> None:
    page = PAGE.read_text("utf-8")
    for known in KNOWN_SERVERS:
        assert f"`{known.name}`" in page
        assert known.page
        assert [name for name in known.read_only_tools if CHANGING.search(name)] == []
