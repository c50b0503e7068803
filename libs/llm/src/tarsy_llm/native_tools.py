"""Tools that providers run themselves: which of those that an agent has go to a server."""

from collections.abc import Collection

from tarsy_contracts.chain import NativeTool
from tarsy_llm.protocol import LlmRequest

WEB_SEARCH: tuple[NativeTool, ...] = ("google_search",)
"""All that a provider has that only searches: the word of `native_tools` for its own web search."""


def part_native_tools(request: LlmRequest, taken: Collection[NativeTool]) -> tuple[LlmRequest, tuple[NativeTool, ...]]:
    """Returns the request with only those that the server takes, and all others: they are not sent."""
    kept = tuple(tool for tool in request.native_tools if tool in taken)
    left_out = tuple(tool for tool in request.native_tools if tool not in taken)
    return request.model_copy(update={"native_tools": kept}), left_out
