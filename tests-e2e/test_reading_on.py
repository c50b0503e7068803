"""An agent reads on in results that were too long for it: our services as they are, with any number of gateways.

In one process and in virtual time (simulation/). The script's `needs` prove what reached the model.
"""

import json
from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER, READ_RESULT
from tarsy_contracts.wire.ids import execution_id, llm_call_id, stage_id, tool_call_id
from tarsy_testing.simulation.investigation import SERVER, SESSION, VERY_LONG
from tarsy_testing.simulation.outside import Tool
from tarsy_testing.simulation.scripted_session import play
from tarsy_verification.session_log import SessionLog

CALL = tool_call_id(llm_call_id(execution_id(stage_id(SESSION, 1), 1), 1, 1), 0)
"""The first call of the only agent."""
ID = CALL[:8]
OWN = f"{OWN_SERVER}__{READ_RESULT}"
SHOWN = VERY_LONG.encode()[: 64 * 1024].count(b"\n")
"""So many lines of the result stand in the log itself."""


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
        {SERVER: [Tool("events.list", VERY_LONG, 0.2)]},
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
        {SERVER: [Tool("events.list", says, 0.2)]},
    )
    assert outcomes(log) == [("events.list", "ok"), (READ_RESULT, "rejected"), (READ_RESULT, "ok")]
    assert len(log.events(e.SummaryRequested)) == 1
    assert [one.final_analysis for one in log.events(e.SessionCompleted)] == ["Row 999."]
