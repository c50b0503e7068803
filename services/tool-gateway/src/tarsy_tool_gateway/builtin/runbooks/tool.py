"""The tool `fetch_runbook`."""

import ssl
import time
from functools import partial

from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.runbook_urls import RunbookUrlRefused, allowed_runbook_url
from tarsy_tool_gateway.builtin.runbooks.cache import RunbookCache
from tarsy_tool_gateway.builtin.runbooks.dns_guard import SystemLookup, places_of
from tarsy_tool_gateway.builtin.runbooks.fetcher import RunbookFetcher
from tarsy_tool_gateway.builtin.runbooks.github import text_of_link
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.builtin.tool_server import OwnTool
from tarsy_tool_gateway.tool_servers import Said

MASKED = "[MASKED_"


def runbook_tool(rules: RunbookRules) -> OwnTool:
    find = partial(places_of, domains=rules.allowed_domains, lookup=SystemLookup())
    fetcher = RunbookFetcher(rules, find=find, tls=ssl.create_default_context())
    return partial(fetch_runbook, rules, fetcher, RunbookCache(rules.cache_seconds, clock=time.monotonic))


async def fetch_runbook(
    rules: RunbookRules, fetcher: RunbookFetcher, cache: RunbookCache, request: ToolCallRequest
) -> Said:
    text = request.arguments.get("url")
    if not isinstance(text, str):
        return Said("rejected", "The address of the runbook is missing.")
    if MASKED in text:
        return Said("rejected", "The address of the runbook held a secret, which has been masked: nobody can open it.")
    try:
        url = text_of_link(allowed_runbook_url(text, rules.allowed_domains))
    except RunbookUrlRefused as problem:
        return Said("rejected", f"The address of the runbook {problem}.")
    return await cache.get(str(url), partial(fetcher.fetch, url))
