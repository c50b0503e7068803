"""Results on their way to the agent: chosen servers, thresholds, summaries, names, and ReAct's ways to write arguments.

From the alert to the timeline, our services as they are (simulation/). The script's `needs` prove what reached the
model, and a model that is asked for what no turn has fails.
"""

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.timeline.changes import TimelineCreated, TimelineEnded, timeline_changes
from tarsy_testing.simulation.investigation import VERY_LONG
from tarsy_testing.simulation.outside import Tool
from tarsy_testing.simulation.scripted_session import WITHOUT_RUNBOOK, play
from tarsy_verification.session_log import SessionLog

LONG = "".join(f"2026-11-22T03:00:{number % 60:02} api-7 ERROR row {number}\n" for number in range(40))
SHORT = "api-7 CrashLoopBackOff"
PODS, LOGS = Tool("pods_list", SHORT, 0.2), Tool("logs", LONG, 0.2)
ANSWER: Mapping[str, JsonValue] = {"agent": "Looker", "text": "It leaks."}


def config(*, react: bool = False, **summarization: JsonValue) -> Config:
    """The agent has the server `logs`; there is `cluster`, too."""
    server = {"transport": {"type": "stdio", "command": "none"}, "summarization": summarization}
    agent = {"name": "Looker", "llm_provider": "steady", "iteration_strategy": "react" if react else "native-thinking"}
    return Config.model_validate(
        {
            "agents": {"Looker": {"mcp_servers": ["logs"]}},
            "agent_chains": {"crash": {"alert_types": ["crash"], "stages": [{"name": "look", "agents": [agent]}]}},
            "mcp_servers": {"logs": server, "cluster": server},
            "llm_providers": {"steady": {"type": "scripted", "script": "none.yaml"}},
            "defaults": {"alert_type": "crash", "llm_provider": "steady"},
        }
    )


def asks(*names: str, iteration: int = 1) -> Mapping[str, JsonValue]:
    calls: list[JsonValue] = [{"name": name, "arguments": {"pod": "api-7"}} for name in names]
    return {"agent": "Looker", "iteration": iteration, "text": "I look.", "tool_calls": calls}


def summaries_shown(log: SessionLog) -> list[tuple[str, str]]:
    """Status and content, as the timeline has them at last."""
    shown: dict[str, tuple[str, str]] = {}
    for record in log.accepted:
        for change in timeline_changes(record):
            if isinstance(change, TimelineCreated | TimelineEnded) and change.event_type == "mcp_tool_summary":
                shown[change.event_id] = (change.status, change.content)
    return list(shown.values())


def analysis(log: SessionLog) -> str:
    (ended,) = log.events(e.SessionCompleted)
    return ended.final_analysis


def test_servers_and_tools_that_an_alert_selects_lead_to_a_summary_and_into_the_timeline() -> None:
    chosen = McpSelection(servers=(McpServerSelection(name="cluster", tools=("logs",)),))
    log = play(
        [
            asks("cluster__logs"),
            {"agent": "Summarizer", "needs": ["row 39"], "text": "Forty errors."},
            {**ANSWER, "iteration": 2, "needs": ["Forty errors."]},
        ],
        config(size_threshold_tokens=100),
        {"logs": [PODS], "cluster": [PODS, LOGS]},
        WITHOUT_RUNBOOK.model_copy(update={"mcp": chosen}),
    )
    (offered,) = log.events(e.StageToolsOffered)
    assert [tool.definition.name for tool in offered.tools] == ["cluster__logs", "tarsy__read_result"]
    (summary,) = log.events(e.SummaryCompleted)
    assert (summary.server, summary.tool) == ("cluster", "logs")
    assert summaries_shown(log) == [("completed", summary.content)]
    assert analysis(log) == "It leaks."


def test_a_result_below_the_threshold_is_read_word_for_word() -> None:
    log = play(
        [asks("logs__logs"), {**ANSWER, "iteration": 2, "needs": ["row 0", "row 39"]}],
        config(size_threshold_tokens=5000),
        {"logs": [LOGS], "cluster": []},
    )
    assert log.events(e.SummaryRequested) == []
    assert analysis(log) == "It leaks."


def test_where_summaries_are_switched_off_a_long_result_is_read_word_for_word() -> None:
    log = play(
        [asks("logs__logs"), {**ANSWER, "iteration": 2, "needs": ["row 0", "row 39"]}],
        config(enabled=False, size_threshold_tokens=100),
        {"logs": [LOGS], "cluster": []},
    )
    assert log.events(e.SummaryRequested) == []
    assert analysis(log) == "It leaks."


def test_two_long_results_of_one_turn_are_summarised_each_and_the_agent_waits_for_both() -> None:
    other = Tool("events", LONG.replace("ERROR", "WARN"), 0.6)
    log = play(
        [
            asks("logs__logs", "logs__events"),
            {"agent": "Summarizer", "needs": ["ERROR row"], "text": "Forty errors."},
            {"agent": "Summarizer", "needs": ["WARN row"], "text": "Forty warnings."},
            {**ANSWER, "iteration": 2, "needs": ["Forty errors.", "Forty warnings."]},
        ],
        config(size_threshold_tokens=100),
        {"logs": [LOGS, other], "cluster": []},
    )
    contents = [content for _, content in summaries_shown(log)]
    assert [content.splitlines()[0] for content in contents] == ["Forty errors.", "Forty warnings."]
    asked = [event for event in log.events(e.LlmCallRequested) if event.iteration == 2]
    assert len(asked) == 1
    assert analysis(log) == "It leaks."


def test_the_same_lines_that_an_agent_asks_for_twice_are_summarised_once() -> None:
    """They are too long for the log: the gateway's digests tell that they are the same."""
    log = play(
        [
            asks("logs__logs"),
            {"agent": "Summarizer", "text": "A thousand rows."},
            {**asks("logs__logs", iteration=2), "needs": ["A thousand rows."]},
            {**ANSWER, "iteration": 3, "needs": ["the same as call 1 returned"]},
        ],
        config(size_threshold_tokens=100),
        {"logs": [Tool("logs", VERY_LONG, 0.2)], "cluster": []},
    )
    first, second = log.events(e.SummaryCompleted)
    assert (second.content, second.reused_from) == (first.content, first.call_id)
    assert (len(first.attempts), len(second.attempts), len(log.events(e.SummaryStarted))) == (1, 0, 1)
    assert analysis(log) == "It leaks."


def test_tools_of_the_same_name_on_two_servers_are_told_apart() -> None:
    chosen = McpSelection(servers=(McpServerSelection(name="logs"), McpServerSelection(name="cluster")))
    log = play(
        [
            asks("logs__pods_list", "cluster__pods_list"),
            {**ANSWER, "iteration": 2, "needs": ["says the one", "says the other"]},
        ],
        config(),
        {"logs": [Tool("pods_list", "says the one", 0.2)], "cluster": [Tool("pods_list", "says the other", 0.2)]},
        WITHOUT_RUNBOOK.model_copy(update={"mcp": chosen}),
    )
    assert [(call.server, call.tool) for call in log.events(e.ToolCallRequested)] == [
        ("logs", "pods_list"),
        ("cluster", "pods_list"),
    ]
    assert analysis(log) == "It leaks."


@pytest.mark.parametrize(
    "written",
    [
        '{"pod": "api-7", "lines": 20}',
        "pod: api-7\nlines: 20",
        "pod: api-7, lines: 20",
        "pod=api-7, lines=20",
        '```json\n{"pod": "api-7", "lines": 20}\n```',
        "{'pod': 'api-7', 'lines': 20}",
    ],
    ids=["json", "yaml", "colons", "equals", "fenced", "quotes"],
)
def test_arguments_that_react_agents_write_in_many_ways_reach_the_tool(written: str) -> None:
    log = play(
        [
            {
                "agent": "Looker",
                "iteration": 1,
                "text": f"Thought: logs\nAction: logs.pods_list\nAction Input: {written}",
            },
            {
                "agent": "Looker",
                "iteration": 2,
                "needs": [SHORT],
                "text": "Thought: clear\nFinal Answer: It leaks.",
            },
        ],
        config(react=True),
        {"logs": [PODS], "cluster": []},
    )
    (call,) = log.events(e.ToolCallRequested)
    assert (call.server, call.tool, call.arguments) == ("logs", "pods_list", {"pod": "api-7", "lines": 20})
    assert analysis(log) == "It leaks."


@pytest.mark.parametrize("react", [False, True])
def test_a_summary_that_fails_leaves_the_agent_the_beginning_of_the_result(react: bool) -> None:
    first: Mapping[str, JsonValue] = asks("logs__logs")
    last: Mapping[str, JsonValue] = {**ANSWER, "iteration": 2, "needs": ["row 0"]}
    if react:
        text = "Thought: logs\nAction: logs.logs\nAction Input: {}"
        first = {"agent": "Looker", "iteration": 1, "text": text}
        last = {**last, "text": "Thought: clear\nFinal Answer: It leaks."}
    log = play(
        [first, {"agent": "Summarizer", "fail": "no such key", "kind": "credentials"}, last],
        config(react=react, size_threshold_tokens=100),
        {"logs": [LOGS], "cluster": []},
    )
    assert [status for status, _ in summaries_shown(log)] == ["failed"]
    assert analysis(log) == "It leaks."
