"""The private parts of the MCP SDK that we use: an upgrade that moves one is told in a sentence."""

import importlib
import sys

import pytest

from tarsy_tool_gateway.mcp import sdk_internals


@pytest.mark.parametrize("moved", ["mcp.client._transport", "mcp.shared._httpx_utils"])
def test_a_part_that_moved_is_named(monkeypatch: pytest.MonkeyPatch, moved: str) -> None:
    monkeypatch.setitem(sys.modules, moved, None)
    with pytest.raises(ImportError, match=f"the MCP SDK has moved a private part that we use .*{moved}.*sdk_internals"):
        importlib.reload(sdk_internals)
