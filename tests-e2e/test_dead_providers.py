"""A provider that failed in a row is not asked by the agents that come after: our services in virtual time."""

from collections.abc import Mapping

from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_testing.simulation.investigation import SERVER
from tarsy_testing.simulation.outside import Tool
from tarsy_testing.simulation.scripted_session import Script, play
from tarsy_verification.session_log import SessionLog

TEXT = "".join(f"row {number}\n" for number in range(1000))


def config(*, summaries: bool = False) -> Config:
    agent = {"name": "Events", "fallback_providers": ["steady"]}
    return Config.model_validate(
        {
            "agents": {"Events": {"mcp_servers": [SERVER]}},
            "agent_chains": {
                "crash": {
                    "alert_types": ["crash"],
                    "stages": [{"name": "look", "agents": [agent]}, {"name": "again", "agents": [agent]}],
                }
            },
            "mcp_servers": {
                SERVER: {
                    "transport": {"type": "stdio", "command": "none"},
                    "summarization": {"enabled": summaries, "size_threshold_tokens": 100, "llm_provider": "dead"},
                }
            },
            "llm_providers": {name: {"type": "scripted", "script": "none.yaml"} for name in ("dead", "steady")},
            "defaults": {"alert_type": "crash", "llm_provider": "dead"},
        }
    )


def failures(log: SessionLog) -> list[str]:
    return [one.kind for one in log.events(e.LlmCallFailed)]


def test_the_second_agent_goes_on_with_the_fallback_at_once_and_the_log_says_so() -> None:
    dead = [{"agent": "Events", "fail": "nothing left to pay with", "kind": "credentials"}] * 3
    steady = [{"agent": "Events", "text": "It is row 999."}] * 2
    log = play(steady, config(), {SERVER: [Tool("events.list", TEXT, 0.2)]}, others={"dead": dead})
    first, second = log.events(e.LlmCallFailed)[:2]
    assert (first.kind, second.kind) == ("credentials", "circuit_open")
    assert "dead was not asked" in second.error
    assert [(one.from_provider, one.to_provider, one.kind) for one in log.events(e.ProviderFellBack)][:2] == [
        ("dead", "steady", "credentials"),
        ("dead", "steady", "circuit_open"),
    ]
    assert [one.final_analysis for one in log.events(e.SessionCompleted)] == ["It is row 999."]


def test_no_summary_asks_the_dead_one_first() -> None:
    asks: Mapping[str, JsonValue] = {
        "agent": "Events",
        "text": "Looking.",
        "tool_calls": [{"name": f"{SERVER}__events_list", "arguments": {}}],
    }
    steady: Script = [
        {**asks, "iteration": 1},
        {"agent": "Events", "iteration": 2, "text": "It is row 999."},
        {"agent": "Summarizer", "text": "A thousand rows."},
    ]
    dead = [
        {"agent": "Events", "fail": "gone", "kind": "provider_error"},
        {"agent": "Summarizer", "fail": "gone", "kind": "credentials"},
    ]
    log = play(steady, config(summaries=True), {SERVER: [Tool("events.list", TEXT, 0.2)]}, others={"dead": dead})
    asked = [[attempt.provider for attempt in one.attempts] for one in log.events(e.SummaryCompleted)]
    assert asked == [["dead", "steady"], ["steady"]]
