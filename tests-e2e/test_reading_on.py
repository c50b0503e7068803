"""An agent reads on in results that were too long for it: our services as they are, with any number of gateways.

In one process and in virtual time (tarsy_simulation). The script's `needs` prove what reached the model.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from random import Random

import pytest
from pydantic import JsonValue
from structlog.testing import capture_logs

from tarsy_bus.publisher import Publisher
from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER, READ_RESULT
from tarsy_contracts.ids import execution_id, llm_call_id, stage_id, tool_call_id
from tarsy_contracts.inputs import AlertReceived
from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.topics import Topics
from tarsy_simulation.broker import Broker
from tarsy_simulation.investigation import ALERT, SERVER, SESSION, VERY_LONG
from tarsy_simulation.outside import Tool, ToolServer, models
from tarsy_simulation.services import Gateway, Orchestrator, Summarizer, bus_of, in_memory
from tarsy_simulation.virtual_time import VirtualLoop
from tarsy_tool_gateway.builtin.read_result.tool import read_result_tool
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_verification.session_log import LogReading, SessionLog
from tarsy_worker.runner import MayStart, always

MOST_LOOKS = 240
CALL = tool_call_id(llm_call_id(execution_id(stage_id(SESSION, 1), 1), 1, 1), 0)
"""The first call of the only agent."""
ID = CALL[:8]
OWN = f"{OWN_SERVER}__{READ_RESULT}"
SHOWN = VERY_LONG.encode()[: 64 * 1024].count(b"\n")
"""So many lines of the result stand in the log itself."""

type Script = Sequence[Mapping[str, JsonValue]]


class OwnTools(ToolServer):
    """Those of a gateway; they are in no catalog."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(())
        self._read = read_result_tool(bus_of(broker, "gateway"))

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        return await self._read(request)


def config(*, react: bool, summaries: bool) -> Config:
    agent = {"name": "Events", "llm_provider": "steady", "iteration_strategy": "react" if react else "native-thinking"}
    return Config.model_validate(
        {
            "agents": {"Events": {"mcp_servers": [SERVER]}},
            "agent_chains": {"crash": {"alert_types": ["crash"], "stages": [{"name": "look", "agents": [agent]}]}},
            "mcp_servers": {
                SERVER: {
                    "transport": {"type": "stdio", "command": "none"},
                    "summarization": {"enabled": summaries, "size_threshold_tokens": 100},
                }
            },
            "llm_providers": {"steady": {"type": "scripted", "script": "none.yaml"}},
            "defaults": {"alert_type": "crash", "llm_provider": "steady"},
        }
    )


def play(script: Script, config: Config, says: str) -> SessionLog:
    with capture_logs(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_play(script, config, says))


async def _play(script: Script, config: Config, says: str) -> SessionLog:
    loop = asyncio.get_running_loop()
    broker = Broker(Topics("t"), Random(1), loop.time)
    llms = models({"steady": script})
    outside = ToolServer([Tool("events.list", says, 0.2)])
    with in_memory(broker):
        servers = {SERVER: outside, OWN_SERVER: OwnTools(broker)}
        services: Sequence[Orchestrator | Gateway | Summarizer] = [
            Orchestrator("orchestrator", broker, config, llms),
            Gateway("gateway-1", broker, servers),
            Gateway("gateway-2", broker, servers),
            Summarizer("summarizer", broker, llms),
        ]
        tasks = [loop.create_task(service.run()) for service in services]
        publisher = Publisher(bus_of(broker, "people"), source="people", now=broker.now)
        async with publisher.running():
            topic = broker.topics.inbox
            alert = ALERT.model_copy(update={"runbook_url": None})
            await publisher.publish(topic, AlertReceived(alert=alert), key=SESSION, id="alert", subject=SESSION)
        for _ in range(MOST_LOOKS):
            if _log(broker).ended:
                break
            await asyncio.sleep(0.5)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=60)
    return _log(broker)


def _log(broker: Broker) -> SessionLog:
    reading = LogReading()
    for record in broker.everything(broker.topics.sessions):
        reading.take(record)
    return reading.sessions.get(SESSION, SessionLog())


def outcomes(log: SessionLog) -> list[tuple[str, str]]:
    tools = {one.call_id: one.tool for one in log.events(e.ToolCallRequested)}
    return [(tools[one.call_id], one.outcome) for one in log.events(e.ToolCallCompleted)]


def calls(name: str, **arguments: JsonValue) -> list[JsonValue]:
    return [{"name": name, "arguments": arguments}]


@pytest.mark.parametrize("react", [False, True])
def test_it_reads_and_searches_behind_where_a_result_was_cut(react: bool) -> None:
    def turn(iteration: int, needs: str, name: str, **arguments: JsonValue) -> Mapping[str, JsonValue]:
        asks: Mapping[str, JsonValue]
        if not react:
            asks = {"text": "Looking.", "tool_calls": calls(name, **arguments)}
        else:
            written = name.replace("__", ".", 1)
            asks = {"text": f"Thought: x\nAction: {written}\nAction Input: {json.dumps(arguments)}"}
        return {"agent": "Events", "iteration": iteration, "needs": [needs], **asks}

    log = play(
        [
            turn(1, "pod api-7", f"{SERVER}__events_list"),
            turn(2, f'with result "{ID}", offset {SHOWN}', OWN, result=ID, offset=SHOWN),
            turn(3, "row 999\n", OWN, result=ID, search="row 99[89]", context=0),
            {
                "agent": "Events",
                "iteration": 4,
                "needs": ["[2 lines match from offset 0 on; the result has 1000 lines", "998: 2026"],
                "text": "Thought: clear\nFinal Answer: It is row 999." if react else "It is row 999.",
            },
        ],
        config(react=react, summaries=False),
        VERY_LONG,
    )
    assert outcomes(log) == [("events.list", "ok"), (READ_RESULT, "ok"), (READ_RESULT, "ok")]
    assert [one.final_analysis for one in log.events(e.SessionCompleted)] == ["It is row 999."]


def test_it_reads_the_words_themselves_of_what_was_summarised_and_is_told_which_results_there_are() -> None:
    says = "".join(f"row {number}\n" for number in range(1000))
    log = play(
        [
            {"agent": "Events", "iteration": 1, "text": "Looking.", "tool_calls": calls(f"{SERVER}__events_list")},
            {"agent": "Summarizer", "text": "A thousand rows."},
            {
                "agent": "Events",
                "iteration": 2,
                "needs": ["A thousand rows.", f'To read in it: {OWN} with result "{ID}".'],
                "text": "Which?",
                "tool_calls": calls(OWN, result="00000000"),
            },
            {
                "agent": "Events",
                "iteration": 3,
                "needs": [f"There are: {ID} ({SERVER}.events.list, 1000 lines)."],
                "text": "That one.",
                "tool_calls": calls(OWN, result=ID, offset=998),
            },
            {"agent": "Events", "iteration": 4, "needs": ["Lines 998 to 999 of 1000", "row 999"], "text": "Row 999."},
        ],
        config(react=False, summaries=True),
        says,
    )
    assert outcomes(log) == [("events.list", "ok"), (READ_RESULT, "rejected"), (READ_RESULT, "ok")]
    assert len(log.events(e.SummaryRequested)) == 1
    assert [one.final_analysis for one in log.events(e.SessionCompleted)] == ["Row 999."]
