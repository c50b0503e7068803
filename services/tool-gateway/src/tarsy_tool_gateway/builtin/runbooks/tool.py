"""Implementation of `fetch_runbook`."""

import time
from collections.abc import Callable
from functools import partial

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.runbook_urls import RunbookUrlRefusedError, require_allowed_runbook_url
from tarsy_egress.clients import tls_context
from tarsy_tool_gateway.builtin.runbooks.cache import RunbookCache
from tarsy_tool_gateway.builtin.runbooks.dns_guard import SystemLookup, resolve_endpoints
from tarsy_tool_gateway.builtin.runbooks.fetcher import RunbookFetcher
from tarsy_tool_gateway.builtin.runbooks.github import raw_file_url
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.builtin.tool_server import BuiltinTool
from tarsy_tool_gateway.tool_servers import ToolOutput

MASKED = "[MASKED_"


class LiveRunbookTool:
    """`fetch_runbook` by the rules that hold now. The cache goes when they change."""

    def __init__(self, rules: Callable[[], RunbookRules]) -> None:
        self._rules = rules
        self._made_for = rules()
        self._tool = fetch_runbook_tool(self._made_for)

    async def fetch(self, request: ToolCallRequest) -> ToolOutput:
        if self._rules() != self._made_for:
            self._made_for = self._rules()
            self._tool = fetch_runbook_tool(self._made_for)
        return await self._tool(request)


def fetch_runbook_tool(rules: RunbookRules) -> BuiltinTool:
    find = partial(resolve_endpoints, domains=rules.allowed_domains, lookup=SystemLookup())
    fetcher = RunbookFetcher(rules, find=find, tls=tls_context())
    return partial(fetch_runbook, rules, fetcher, RunbookCache(rules.cache_seconds, clock=time.monotonic))


async def fetch_runbook(
    rules: RunbookRules, fetcher: RunbookFetcher, cache: RunbookCache, request: ToolCallRequest
) -> ToolOutput:
    text = request.arguments.get("url")
    if not isinstance(text, str):
        return ToolOutput("rejected", "The address of the runbook is missing.")
    if MASKED in text:
        return ToolOutput(
            "rejected", "The address of the runbook held a secret, which has been masked: nobody can open it."
        )
    try:
        url = raw_file_url(require_allowed_runbook_url(text, rules.allowed_domains))
    except RunbookUrlRefusedError as problem:
        return ToolOutput("rejected", f"The address of the runbook {problem}.")
    return await cache.get(str(url), partial(fetcher.fetch, url))
