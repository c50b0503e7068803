"""The world outside: models that follow a script, and MCP servers that note what they ran. No process of ours."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.messages.workers import CatalogTool
from tarsy_llm.protocol import Answer, Delta, Llm, LlmRequest
from tarsy_llm.scripted.script import PlacedTurn, Script, ScriptedTurn
from tarsy_llm.scripted.scripted_llm import ScriptedLlm
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_verification.invariants import ToolRun
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always

PACE_SECONDS = 0.11
AT_ONCE = ServerLimits(concurrent=4, queue=16)


@dataclass(frozen=True, slots=True)
class HeardRequest:
    """A request as a provider received it."""

    provider: str
    request: LlmRequest


@dataclass(frozen=True, slots=True)
class HearingLlm:
    """Implements `Llm`: it notes what it is asked, and another one answers."""

    provider: str
    llm: Llm
    heard: list[HeardRequest]

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        self.heard.append(HeardRequest(self.provider, request))
        async with aclosing(self.llm.stream(request)) as stream:
            async for part in stream:
                yield part

    async def aclose(self) -> None:
        await self.llm.aclose()


def models(scripts: Mapping[str, Sequence[Mapping[str, JsonValue]]], heard: list[HeardRequest]) -> dict[str, Llm]:
    """By provider. Their memory (whom they have let wait already) outlives every process of ours."""
    return {name: HearingLlm(name, _model(turns), heard) for name, turns in scripts.items()}


def _model(turns: Sequence[Mapping[str, JsonValue]]) -> Llm:
    placed = [
        PlacedTurn(ScriptedTurn.model_validate(dict(turn)), f"turn {number}") for number, turn in enumerate(turns)
    ]
    return ScriptedLlm(Script(tuple(placed)), asyncio.sleep, pace_seconds=PACE_SECONDS)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose answer never depends on its arguments."""

    name: str
    says: str
    seconds: float
    repeatable: bool = True
    parameters: tuple[str, ...] = ()

    def catalogued(self) -> CatalogTool:
        return CatalogTool(
            tool=self.name,
            description=self.name,
            input_schema={"properties": {name: {} for name in self.parameters}} if self.parameters else {},
            repeatable=self.repeatable,
            read_only=self.repeatable,
        )


@dataclass(frozen=True, slots=True)
class Start:
    """Start of a tool. `at`: seconds since the beginning."""

    call_id: str
    repeatable: bool
    at: float
    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass
class ToolServer:
    """Implements the gateway's protocol `ToolServer`. A tool that has begun ends, whoever of us dies meanwhile."""

    tools: Sequence[Tool]
    runs: list[ToolRun] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    limits: ServerLimits = AT_ONCE

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        if not may_start():
            return ToolOutput("unavailable", "not started")
        self.runs.append(ToolRun(request.tool, request.arguments))
        now = asyncio.get_running_loop().time()
        self.starts.append(Start(request.call_id, request.repeatable, now, request.tool, request.arguments))
        tool = next(one for one in self.tools if one.name == request.tool)
        await asyncio.sleep(tool.seconds)
        return ToolOutput("ok", tool.says)
