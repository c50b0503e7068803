"""What Go TARSy's own tests of skills play: its configuration is loaded here, and an agent reads by its rules."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tarsy_config.loading.load import load_config
from tarsy_contracts import events as e
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.events.tool import Outcome
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.prompts.skills import NAME
from tarsy_testing.story.delegation import child, send
from tarsy_testing.story.story import Story

CONFIG = """\
defaults:
  llm_provider: "test-provider"
  llm_backend: "google-native"
llm_providers:
  test-provider: {{type: scripted, script: none.yaml}}
mcp_servers:
  kubernetes:
    transport: {{type: stdio, command: mock}}
agents:
  Investigator:
    mcp_servers: [kubernetes]
    custom_instructions: "You are Investigator, gathering evidence about the alert."
    {agent}
agent_chains:
  skills-chain:
    alert_types: [test-skills]
    executive_summary_provider: "test-provider"
    stages:
      - name: investigation
        agents:
          - name: Investigator
            {stage}
"""
TEXTS = {"kubernetes-basics": "A pod is the smallest unit.", "networking": "Resolve names, then connect."}
FOLDERS, FLAT = "skills/{}/SKILL.md", "skills/{}.md"


@dataclass(frozen=True, slots=True)
class Scenario:
    """`required` and `offered`: what the instructions have whole, and with a line. `brings`: texts of the result."""

    name: str
    agent: str = ""
    stage: str = ""
    layout: str = FOLDERS
    required: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    outcome: Outcome = "ok"
    brings: tuple[str, ...] = ()


EVERY = tuple(TEXTS)
ALLOWED = "skills: [kubernetes-basics, networking]\n    required_skills: [kubernetes-basics]"
SCENARIOS = (
    Scenario(
        "required and on demand", ALLOWED,
        required=EVERY[:1], offered=EVERY[1:], loads=("networking",), brings=(TEXTS["networking"],),
    ),
    Scenario("no list is all", offered=EVERY, loads=EVERY, brings=tuple(TEXTS.values())),
    Scenario("an empty list is none", "skills: []"),
    Scenario("a stage adds to the list", "skills: [networking]", "skills: [kubernetes-basics]", offered=EVERY),
    Scenario("a stage requires one more", "skills: []", "required_skills: [networking]", required=EVERY[1:]),
    Scenario(
        "partial failure", ALLOWED, required=EVERY[:1], offered=EVERY[1:],
        loads=("networking", "nonexistent-skill"), brings=(TEXTS["networking"], "'nonexistent-skill'"),
    ),
    Scenario(
        "all invalid", ALLOWED, required=EVERY[:1], offered=EVERY[1:],
        loads=("ghost",), outcome="tool_error", brings=("'ghost'",),
    ),
    Scenario(
        "files of a ConfigMap", "skills: [networking]", layout=FLAT,
        offered=EVERY[1:], loads=("networking",), brings=(TEXTS["networking"],),
    ),
)  # fmt: skip


def begin(scenario: Scenario, folder: Path) -> Story:
    for name, text in TEXTS.items():
        file = folder / scenario.layout.format(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nname: {name}\ndescription: About {name}\n---\n# {name}\n\n{text}\n", "utf-8")
    (folder / "none.yaml").write_text("", "utf-8")
    (folder / "tarsy.yaml").write_text(CONFIG.format(agent=scenario.agent, stage=scenario.stage), "utf-8")
    config = load_config(folder, {})
    return Story(plan=config.chain_for("test-skills"), skills=config.skill_texts).asking()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_of_go_tarsy_goes_as_there(scenario: Scenario, tmp_path: Path) -> None:
    story = begin(scenario, tmp_path)
    system = build_conversation(story.investigating, story.execution()).system
    assert [name for name, text in TEXTS.items() if text in system] == [*scenario.required]
    assert [name for name in TEXTS if f"- {name}: About {name}" in system] == [*scenario.offered]
    tools = [tool.definition.name for tool in story.execution().tools]
    assert (NAME in tools) is bool(scenario.offered)
    if not scenario.loads:
        return
    call = ToolCall(id=tool_call_id(story.llm_call_id, 0), name=NAME, arguments={"names": [*scenario.loads]})
    events = story.when(story.answer().model_copy(update={"tool_calls": (call,)}))
    (result,) = [event for event in events if isinstance(event, e.ToolCallCompleted)]
    assert result.outcome == scenario.outcome
    assert [text for text in scenario.brings if text not in result.content] == []
    assert story.asked().iteration == 2


def test_a_sub_agent_has_its_own_skills_and_those_that_its_sender_names_for_it(tmp_path: Path) -> None:
    """Go TARSy's OrchestratorSubAgent: the one that leads has none."""
    worker = "LogAnalyzer: {{mcp_servers: [kubernetes], description: reads logs, skills: [networking]}}"
    choice = "{{name: LogAnalyzer, required_skills: [kubernetes-basics]}}"
    scenario = Scenario(
        "a sub-agent", f"skills: []\n    sub_agents: [{choice}]\n  {worker}".replace("{{", "{").replace("}}", "}")
    )
    story = begin(scenario, tmp_path)
    assert not [
        text for text in TEXTS.values() if text in build_conversation(story.investigating, story.execution()).system
    ]
    send(story, "find errors", name="LogAnalyzer", who="Investigator")
    sent = child(story, "find errors")
    system = build_conversation(story.investigating, sent).system
    assert TEXTS["kubernetes-basics"] in system
    assert "- networking: About networking" in system
    asked = story.asked("LogAnalyzer").llm_call_id
    call = ToolCall(id=tool_call_id(asked, 0), name=NAME, arguments={"names": ["networking"]})
    events = story.when(story.answer(agent="LogAnalyzer").model_copy(update={"tool_calls": (call,)}))
    (result,) = [event for event in events if isinstance(event, e.ToolCallCompleted)]
    assert TEXTS["networking"] in result.content
