"""Go TARSy's end-to-end scenarios of orchestrators, by their names, played in the pure core with plans of tarsy.yaml.

Models are told what to say, in order; calls of tools answer at once. Other tests show what travels over Kafka, and what
a death does: chains/test_sub_agents.py, test_sweep_of_sub_agents.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.state import AtRest, Execution, Investigating
from tarsy_testing.story.story import Story

CANCEL = "cancel the session"
SUMMARY = "ExecSummaryAgent"
MOST_STEPS = 60

type Call = tuple[str, Mapping[str, JsonValue]]
type Says = str | Sequence[Call]
"""A text, or calls."""
LOOKS: Call = ("kubernetes__pods_list", {})


def dispatch(name: str, task: str) -> Call:
    return "tarsy__dispatch_agent", {"name": name, "task": task}


@dataclass(frozen=True)
class Scenario:
    """`says`: the answers of each agent, in turn; an agent of two runs goes on in the second.

    An answer that begins with `!` is a failure for good. `order`: who answers first of those that are asked.

    `ended`: each execution with its end. `reads`: texts that an agent was given.
    """

    chain: Mapping[str, JsonValue]
    says: Mapping[str, Sequence[Says]]
    ended: Sequence[tuple[str, str]]
    final: str = ""
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    order: Sequence[str] = ()


def one_stage(*agents: JsonValue, **more: JsonValue) -> dict[str, JsonValue]:
    return {"stages": [{"name": "look", "agents": [*agents]}], **more}


LEAD: JsonValue = {"name": "Lead", "sub_agents": ["Logs", "Metrics"]}

SCENARIOS = {
    "Orchestrator": Scenario(
        one_stage(LEAD),
        {
            "Lead": [[dispatch("Logs", "errors"), dispatch("Metrics", "memory")], "I wait.", "I wait on.", "It leaks."],
            "Logs": [[LOOKS], "Errors since noon."],
            "Metrics": ["Memory grows."],
        },
        [("Metrics", "completed"), ("Logs", "completed"), ("Lead", "completed")],
        "It leaks.",
        {"Lead": ["Errors since noon.", "Memory grows."], "Logs": ["errors"], "Metrics": ["memory"]},
        order=("Lead", "Metrics"),
    ),
    "MultiAgent": Scenario(
        one_stage(LEAD, {"name": "Plain"}),
        {
            "Lead": [[dispatch("Logs", "errors")], "I wait.", "It leaks."],
            "Logs": ["Errors since noon."],
            "Plain": [[LOOKS], "The pod restarts."],
            "SynthesisAgent": ["It leaks, so the pod restarts."],
        },
        [("Logs", "completed"), ("Lead", "completed"), ("Plain", "completed"), ("SynthesisAgent", "completed")],
        "It leaks, so the pod restarts.",
        {"SynthesisAgent": ["Errors since noon.", "The pod restarts."]},
        order=("Logs",),
    ),
    "BuiltinAgent": Scenario(
        one_stage({"name": "KubernetesAgent", "sub_agents": ["GeneralWorker"]}),
        {
            "KubernetesAgent": [[LOOKS, dispatch("GeneralWorker", "compare")], "I wait.", "They differ."],
            "GeneralWorker": ["One is newer."],
        },
        [("GeneralWorker", "completed"), ("KubernetesAgent", "completed")],
        "They differ.",
        {"KubernetesAgent": ["One is newer."]},
        order=("GeneralWorker",),
    ),
    "MultiPhase": Scenario(
        one_stage(LEAD),
        {
            "Lead": [
                [dispatch("Logs", "errors")],
                "I wait.",
                [dispatch("Logs", "since when")],
                "I wait.",
                "Since noon.",
            ],
            "Logs": ["There are errors.", "The first came at noon."],
        },
        [("Logs", "completed"), ("Logs", "completed"), ("Lead", "completed")],
        "Since noon.",
        {"Lead": ["There are errors.", "The first came at noon."]},
        order=("Lead",),
    ),
    "SubAgentFailure": Scenario(
        one_stage(LEAD),
        {
            "Lead": [[dispatch("Logs", "errors"), dispatch("Metrics", "memory")], "I wait.", "I wait.", "Memory."],
            "Logs": ["!no key"],
            "Metrics": ["Memory grows."],
        },
        [("Logs", "failed"), ("Metrics", "completed"), ("Lead", "completed")],
        "Memory.",
        {"Lead": ["has ended: failed. no key", "Memory grows."]},
        order=("Lead", "Logs"),
    ),
    "ListAgents": Scenario(
        one_stage(LEAD),
        {
            "Lead": [[dispatch("Logs", "errors")], [("tarsy__list_agents", {})], "I wait.", "Nothing."],
            "Logs": ["None."],
        },
        [("Logs", "completed"), ("Lead", "completed")],
        "Nothing.",
        {"Lead": ["- Metrics: reads metrics", "Logs: active, 1 of 20 iterations: errors"]},
        order=("Lead",),
    ),
    "CancelSpecific": Scenario(
        one_stage(LEAD),
        {
            "Lead": [
                [dispatch("Logs", "errors"), dispatch("Metrics", "memory")],
                [("tarsy__cancel_agent", {"execution_id": "Logs"})],
                "I wait.",
                "Memory.",
            ],
            "Metrics": ["Memory grows."],
        },
        [("Logs", "cancelled"), ("Metrics", "completed"), ("Lead", "completed")],
        "Memory.",
        {"Lead": ["Logs is cancelled.", "Memory grows."]},
        order=("Lead", "Metrics"),
    ),
    "OrchestratorCancellation": Scenario(
        one_stage(LEAD),
        {
            "Lead": [[dispatch("Logs", "errors"), dispatch("Metrics", "memory")], "I wait."],
            "Logs": [CANCEL],
        },
        [("Lead", "cancelled"), ("Logs", "cancelled"), ("Metrics", "cancelled")],
        order=("Lead",),
    ),
}


def begin(scenario: Scenario) -> Story:
    agent: JsonValue = {"mcp_servers": ["kubernetes"]}
    described: dict[str, JsonValue] = {"Logs": "reads logs", "Metrics": "reads metrics"}
    config = Config.model_validate(
        {
            "agents": {
                "Lead": agent,
                "Plain": agent,
                "KubernetesAgent": agent,
                **{name: {"mcp_servers": ["kubernetes"], "description": words} for name, words in described.items()},
            },
            "mcp_servers": {"kubernetes": {"transport": {"type": "stdio", "command": "none"}}},
            "agent_chains": {"k": {"alert_types": ["kubernetes"], **scenario.chain}},
            "llm_providers": {"scripted": {"type": "scripted", "script": "none.yaml"}},
            "defaults": {"llm_provider": "scripted"},
        }
    )
    return Story(plan=config.chain_for("kubernetes")).asking()


@dataclass
class Play:
    """Answers whoever is asked, until the session is at rest."""

    scenario: Scenario
    story: Story
    said: dict[str, int] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        for _ in range(MOST_STEPS):
            if not isinstance(self.story.state, Investigating):
                return
            self._step(self.story.state)
        pytest.fail(f"it goes on for ever, with {self.said}")

    def _step(self, state: Investigating) -> None:
        stage = state.stage
        open_call = next((id for id, call in state.calls.items() if call.open), None)
        if open_call is not None:
            self.story.when(self.story.result(open_call))
        elif stage is not None and not stage.executions:
            self.story.offered()
        else:
            self._answer(state, min(self._asked(state), key=self._rank))

    def _asked(self, state: Investigating) -> list[Execution]:
        return [one for one in state.executions.values() if one.waiting_for is not None]

    def _rank(self, execution: Execution) -> tuple[int, str]:
        name, order = execution.agent.name, [*self.scenario.order]
        return (order.index(name) if name in order else len(order), name)

    def _answer(self, state: Investigating, execution: Execution) -> None:
        name = execution.agent.name
        conversation = build_conversation(state, execution)
        self.read[name] = self.read.get(name, "") + "\n".join(one.content for one in conversation.messages)
        says = {SUMMARY: ["Short."], **self.scenario.says}[name][self.said.get(name, 0)]
        self.said[name] = self.said.get(name, 0) + 1
        if says == CANCEL:
            self.story.when(i.CancelRequested(request_id="r", author="ann"))
        elif isinstance(says, str) and says.startswith("!"):
            self.story.when(self.story.answer(error=says[1:], kind="credentials", agent=name))
        elif isinstance(says, str):
            self.story.when(self.story.answer(says, agent=name))
        else:
            self.story.when(self._calling(state, name, says))

    def _calling(self, state: Investigating, name: str, calls: Sequence[Call]) -> i.LlmCallReported:
        """The name of an agent stands for the id of its run."""
        ids = {one.agent.name: one.id for one in state.executions.values()}
        answer = self.story.answer(agent=name)
        made = [
            ToolCall(
                id=tool_call_id(answer.llm_call_id, index),
                name=tool,
                arguments={
                    key: ids.get(str(value), value) if key == "execution_id" else value for key, value in given.items()
                },
            )
            for index, (tool, given) in enumerate(calls)
        ]
        return answer.model_copy(update={"tool_calls": tuple(made)})


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_of_go_tarsy_ends_as_there(name: str) -> None:
    scenario = SCENARIOS[name]
    play = Play(scenario, begin(scenario))
    play.run()
    events = [record.event for record in play.story.log]
    ended = [(one.agent, one.status) for one in events if isinstance(one, e.ExecutionCompleted)]
    assert [one for one in ended if one[0] != SUMMARY] == [*scenario.ended]
    assert isinstance(play.story.state, AtRest)
    whole = play.story.state.ended
    assert (whole.final_analysis if isinstance(whole, e.SessionCompleted) else "") == scenario.final
    for agent, texts in scenario.reads.items():
        assert [text for text in texts if text not in play.read[agent]] == [], agent
