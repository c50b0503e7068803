"""Implementation of the tools of memory: each asks the timeline, which knows what the session's readers may see."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from pydantic import ValidationError

from tarsy_contracts.api.memories import AskedPast, AskedRecall
from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.tool_servers import ToolOutput

RECALL_PATH = "/internal/v1/recall"
SEARCH_PATH = "/internal/v1/past-sessions"
SECONDS_TO_REPORT = 0.5
"""The timeline has so much less time than the call, so that the outcome says why."""
NO_CONTEXT = "It was not said which session asks."
QUERY_CHARACTERS = {AskedRecall: 10_000, AskedPast: 500}


@dataclass(frozen=True, slots=True)
class TimelineMemory:
    """`headers`: with the key of this service, where the timeline wants one."""

    url: str
    headers: Mapping[str, str]

    async def recall(self, request: ToolCallRequest) -> ToolOutput:
        return await self._ask(request, AskedRecall, RECALL_PATH)

    async def search(self, request: ToolCallRequest) -> ToolOutput:
        return await self._ask(request, AskedPast, SEARCH_PATH)

    async def _ask(self, request: ToolCallRequest, kind: type[ApiModel], path: str) -> ToolOutput:
        if request.recalls is None:
            return ToolOutput("rejected", NO_CONTEXT)
        try:
            asked = kind.model_validate(_values(request, QUERY_CHARACTERS[kind]) | {"context": request.recalls})
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            return ToolOutput("rejected", f"{first['msg']} at {'/'.join(map(str, first['loc']))}.")
        seconds = max(request.timeout_seconds - SECONDS_TO_REPORT, request.timeout_seconds / 2)
        try:
            async with httpx2.AsyncClient(base_url=self.url, headers=self.headers, timeout=seconds) as client:
                answer = await client.post(
                    path, content=asked.model_dump_json(), headers={"content-type": "application/json"}
                )
        except httpx2.HTTPError as problem:
            return ToolOutput("unavailable", f"Memory cannot be asked at the moment: {type(problem).__name__}.")
        if answer.status_code == httpx2.codes.BAD_REQUEST:
            return ToolOutput(
                "rejected", "These words cannot be searched for: write at least one word of three letters."
            )
        if answer.status_code != httpx2.codes.OK:
            return ToolOutput(
                "unavailable", f"Memory cannot be asked at the moment: the timeline answered {answer.status_code}."
            )
        return ToolOutput("ok", answer.text)


def _values(request: ToolCallRequest, characters: int) -> dict[str, Any]:
    """A model may leave a value out, or write null."""
    values = {name: value for name, value in request.arguments.items() if value is not None}
    query = values.get("query")
    return values | {"query": query[:characters]} if isinstance(query, str) else values
