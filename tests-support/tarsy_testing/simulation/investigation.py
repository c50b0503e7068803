"""The investigation that is played, and the reply to a question about it: everything happens that can be lost.

Its models say the same whatever the tools answered, so that an unknown outcome changes nothing else.
"""

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tarsy_config.config import Config
from tarsy_config.skills.configured_skill import ConfiguredSkill
from tarsy_contracts.alert import Alert
from tarsy_contracts.builtin_tools import DISPATCH_AGENT, FETCH_RUNBOOK, LOAD_SKILL, OWN_SERVER, READ_RESULT, RECALL
from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_contracts.memory import RecalledMemories, RecalledMemory
from tarsy_contracts.skills import Skill, SkillFile
from tarsy_contracts.wire.ids import execution_id, llm_call_id, session_of_cloudevent, stage_id, tool_call_id
from tarsy_testing.simulation.outside import Tool
from tarsy_testing.story.rating_phase import ANSWER, RATER

SERVER = "cluster"
SESSION = session_of_cloudevent(source="simulation", id="1")
ALERT = Alert(
    alert_type="crash",
    data="pod api-7 crashes",
    source="api",
    author="ann",
    title="Crash",
    runbook_url="https://github.com/example/runbooks/blob/main/crash.md",
)

BRIEF_ALERT = ALERT.model_copy(update={"alert_type": "leak", "runbook_url": None})
"""One agent looks into it: enough to be asked about."""

GUARDED_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "guarded"})
"""The same, but what the agent wants to delete waits for a person."""

THRIFTY_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "thrifty"})
"""The same, with a budget for one question: a person extends it once, and lets the agent conclude then."""

DAILY_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "daily"})
"""The same, and all sessions of a day together may ask models so often."""
CALLS_PER_DAY = 9

SKILLED_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "skilled"})
"""The same, by an agent that reads a skill first."""
SKILL = Skill(
    name="restarts",
    description="How to count restarts",
    body="Count the restarts first.",
    alert_types=(SKILLED_ALERT.alert_type, "whole"),
    files=(SkillFile(path="references/api.md", text="The api restarts at night."),),
)
ACTING_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "acting"})
"""The agent may act: what it wants to delete is tried out, waits for a person, and is looked at afterwards."""
LIMITED_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "limited"})
"""The agent acts without a person, so many times an hour at most: several sessions of it want to at the same time."""
ACTIONS_PER_HOUR = 2
WHOLE_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "whole"})
"""Sub-agents, of which one reads a skill and one deletes with a person's yes; then one acts, and both are reported."""

REMEMBERING_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "remembering"})
"""The same, by an agent that is given a memory of another; afterwards a model says what this one teaches."""
REMEMBERED = RecalledMemory.model_validate(
    {
        "memory_id": "m-1",
        "session_id": "an earlier one",
        "learned_at": "2026-11-01T10:00:00Z",
        "text": "The tax table is loaded at three o'clock.",
        "confidence": 0.7,
        "score": 0.9,
    }
)
LESSON = "Look at the time of the tax run before the pods."
SEARCHING_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "searching"})
"""The same, by an agent whose model searches, reads a page and runs code, with a secret in each."""
PLANTED = "hunter2-Tr0ub4dor"
PAGES = ("https://k8s.example/oom", "https://k8s.example/limits")

JUDGED_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "judged"})
"""The same; afterwards a model judges it, and two people want to review it at the same time."""
JUDGE = "judge"
JUDGEMENT = json.dumps({"score": 72, "tags": ["incomplete_evidence"], "summary": "Right, and thin."})

WIDE_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "wide"})
"""One agent sends ten others, and concludes when all have ended."""

PATIENT_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "patient"})
"""One agent sends three others, answers without a call, and reads what they bring as they end."""

HANGING_ALERT = BRIEF_ALERT.model_copy(update={"alert_type": "hanging"})
"""One agent sends ten others, and the model of one never comes to an end."""
HANGING_SECONDS = 10.0

LOOKERS = 7
"""They are seven of ten sub-agents. The others meet all that can be lost, each for itself."""

LINE = "2026-11-22T03:00:00Z api-7 ERROR out of memory in tax.loadAll, row {}\n"
LONG = "".join(LINE.format(number) for number in range(8))
"""Above the threshold for summaries."""
VERY_LONG = "".join(LINE.format(number) for number in range(1000))
"""Above what the log takes inline."""

TOOLS = (
    Tool("pods_list", "api-7 CrashLoopBackOff", 0.2),
    Tool("pods_log", LONG, 0.6),
    Tool("events_list", VERY_LONG, 0.9),
    Tool("pods_delete", "deleted", 0.7, repeatable=False, parameters=("pod", "dryRun")),
    Tool("rollout_restart", "restarted", 0.8, repeatable=False),
)
RUNBOOK = Tool(FETCH_RUNBOOK, "# Look at the memory first", 0.3)
READING = Tool(READ_RESULT, "row 7", 0.2)
RECALLING = Tool(RECALL, RecalledMemories(memories=(REMEMBERED,)).model_dump_json(), 0.3)
SERVERS = {SERVER: TOOLS, OWN_SERVER: (RUNBOOK, READING, RECALLING)}

QUESTION = "Since when does it leak, and is it over?"

STEADY, SHAKY = "steady", "shaky"
NO_DRY_RUN: Mapping[str, Mapping[str, JsonValue]] = {}
NO_MEMORY: Mapping[str, JsonValue] = {}
MEMORY: Mapping[str, JsonValue] = {"enabled": True, "max_inject": 3}
TRIED_OUT: Mapping[str, Mapping[str, JsonValue]] = {"pods_delete": {"dryRun": "All"}}
CALL_SECONDS = 20.0
"""More than any death costs a call, and less than the longer outages."""


def config(
    dry_run: Mapping[str, Mapping[str, JsonValue]] = NO_DRY_RUN,
    memory: Mapping[str, JsonValue] = NO_MEMORY,
    *,
    calls_per_day: int = 0,
) -> Config:
    """Two agents in parallel and their synthesis, then one that acts, and an executive summary."""
    days = {"chains": {DAILY_ALERT.alert_type: {"calls": calls_per_day}}} if calls_per_day else {}
    one = {"name": "Pods", "llm_provider": STEADY}
    other = {"name": "Events", "llm_provider": SHAKY, "fallback_providers": [STEADY], "iteration_strategy": "react"}
    looks = {"name": "look", "agents": [one, other], "success_policy": "all"}
    acts = {"name": "act", "agents": [{"name": "Fixer", "llm_provider": STEADY}]}
    scripted = {"type": "scripted", "script": "none.yaml"}
    verify = {"server": SERVER, "tool": "pods_list", "after": 5, "contains": ["CrashLoopBackOff"]}
    sends = {"sub_agents": ["Lister", "Reader", "Deleter", "Looker"], "orchestrator": {"max_concurrent_agents": 10}}
    hangs = {
        "sub_agents": ["Looker", "Hanger"],
        "orchestrator": {"max_concurrent_agents": 10, "agent_timeout": HANGING_SECONDS},
    }
    return Config.model_validate(
        {
            "agents": {
                name: {"mcp_servers": [SERVER]}
                for name in (
                    "Pods",
                    "Events",
                    "Fixer",
                    "Lister",
                    "Reader",
                    "Deleter",
                    "Looker",
                    "Lead",
                    "PatientLead",
                    "HangingLead",
                    "Hanger",
                    "Knower",
                )
            }
            | {"Browser": {"mcp_servers": [SERVER], "native_tools": dict.fromkeys(NATIVE_TOOLS, True)}},
            "agent_chains": {
                "crash": {"alert_types": ["crash"], "stages": [looks, acts]},
                "leak": {"alert_types": ["leak"], "stages": [{"name": "look", "agents": [one]}]},
                "wide": {
                    "alert_types": ["wide"],
                    "stages": [{"name": "look", "agents": [{"name": "Lead", "max_iterations": 1, **sends}]}],
                },
                "hanging": {
                    "alert_types": ["hanging"],
                    "stages": [{"name": "look", "agents": [{"name": "HangingLead", **hangs}]}],
                },
                "patient": {
                    "alert_types": ["patient"],
                    "stages": [{"name": "look", "agents": [{"name": "PatientLead", **sends}]}],
                },
                "skilled": {
                    "alert_types": [SKILLED_ALERT.alert_type],
                    "stages": [{"name": "look", "agents": [{"name": "Reader", "llm_provider": STEADY}]}],
                },
                SEARCHING_ALERT.alert_type: {
                    "alert_types": [SEARCHING_ALERT.alert_type],
                    "stages": [{"name": "look", "agents": [{"name": "Browser", "llm_provider": STEADY}]}],
                },
                DAILY_ALERT.alert_type: {
                    "alert_types": [DAILY_ALERT.alert_type],
                    "stages": [{"name": "look", "agents": [one]}],
                },
                "remembering": {
                    "alert_types": ["remembering"],
                    "stages": [{"name": "look", "agents": [{"name": "Knower", "llm_provider": STEADY}]}],
                },
                "thrifty": {
                    "alert_types": ["thrifty"],
                    "stages": [{"name": "look", "agents": [one]}],
                    "budget": {"calls": 1, "at_end": "ask"},
                },
                "judged": {
                    "alert_types": [JUDGED_ALERT.alert_type],
                    "stages": [{"name": "look", "agents": [one]}],
                    "scoring": {"llm_provider": JUDGE},
                },
                "guarded": {
                    "alert_types": ["guarded"],
                    "stages": [{"name": "look", "agents": [one]}],
                    "approve": True,
                },
                "acting": {
                    "alert_types": ["acting"],
                    "stages": [{"name": "act", "agents": [{**one, "type": "action"}]}],
                    "approve": True,
                    "actions_per_hour": 5,
                    "compose": {"enabled": False},
                    "verify": verify,
                },
                "limited": {
                    "alert_types": [LIMITED_ALERT.alert_type],
                    "stages": [{"name": "act", "agents": [{"name": "Deleter", "type": "action"}]}],
                    "actions_per_hour": ACTIONS_PER_HOUR,
                    "compose": {"enabled": False},
                },
                "whole": {
                    "alert_types": [WHOLE_ALERT.alert_type],
                    "stages": [
                        {"name": "look", "agents": [{"name": "PatientLead", "max_iterations": 1, **sends}]},
                        {"name": "act", "agents": [{**one, "type": "action"}]},
                    ],
                    "approve": True,
                    "actions_per_hour": 5,
                    "verify": verify,
                },
            },
            "mcp_servers": {
                SERVER: {
                    "transport": {"type": "stdio", "command": "none"},
                    "summarization": {"size_threshold_tokens": 100},
                    "allow": "all",
                    "dry_run": dry_run,
                }
            },
            "llm_providers": {STEADY: scripted, SHAKY: scripted, JUDGE: scripted},
            "defaults": {"alert_type": "crash", "llm_provider": STEADY, "memory": memory},
            "limits": {"tool_call": CALL_SECONDS},
            "system": {"budgets": days},
        }
    ).with_skills({SKILL.name: configure(SKILL)})


def configure(skill: Skill) -> ConfiguredSkill:
    return ConfiguredSkill(skill, skill.digest, file=f"skills/{skill.name}/SKILL.md", folder="skills")


def config_later() -> Config:
    """The same names, and nothing else is as it was."""
    now = config()
    one = now.agent_chains["leak"]
    chain = one.model_copy(update={"alert_types": ("crash",)})
    return now.model_copy(
        update={
            "agent_chains": {"crash": chain},
            "limits": now.limits.model_copy(update={"tool_call": 1.0, "llm_call": 0.001, "iteration": 0.002}),
            "mcp_servers": {},
        }
    ).with_skills({SKILL.name: configure(SKILL.model_copy(update={"body": "Count nothing.", "files": ()}))})


def _read_the_log() -> JsonValue:
    """In the result that was summarised for the first agent: its second call."""
    asked = llm_call_id(execution_id(stage_id(SESSION, 1), 1), 1, 1)
    return {"name": f"{OWN_SERVER}__{READ_RESULT}", "arguments": {"result": tool_call_id(asked, 1)[:8]}}


def _calls(*tools: str) -> list[JsonValue]:
    return [{"name": f"{SERVER}__{tool}", "arguments": {"pod": "api-7"}} for tool in tools]


def _load(**arguments: JsonValue) -> JsonValue:
    return {"name": f"{OWN_SERVER}__{LOAD_SKILL}", "arguments": arguments}


def _send(*names: str, pod: str = "api-7") -> list[JsonValue]:
    """All have the same task."""
    return [
        {"name": f"{OWN_SERVER}__{DISPATCH_AGENT}", "arguments": {"name": name, "task": f"What is wrong with {pod}?"}}
        for name in names
    ]


def _pages(*urls: str) -> list[JsonValue]:
    return [{"url": url, "title": f"A page, password={PLANTED}"} for url in urls]


SCRIPTS: Mapping[str, Sequence[Mapping[str, JsonValue]]] = {
    JUDGE: ({"agent": "ScoringAgent", "text": JUDGEMENT},),
    STEADY: (
        {
            "agent": "Pods",
            "iteration": 1,
            "thinking": "Which pods are there?\n",
            "text": "I look at the pods.",
            "tool_calls": _calls("pods_list", "pods_log"),
        },
        {"agent": "Pods", "iteration": 2, "text": "It must go.", "tool_calls": _calls("pods_delete")},
        {"agent": "Pods", "iteration": 3, "text": "The pod ran out of memory."},
        {
            "agent": "Events",
            "iteration": 1,
            "text": f"Thought: events\nAction: {SERVER}.events_list\nAction Input: {{}}",
        },
        {"agent": "Events", "iteration": 2, "text": "Thought: clear\nFinal Answer: It leaks since 03:00."},
        {
            "agent": "Reader",
            "iteration": 1,
            "needs": [SKILL.description],
            "text": "I read what is known.",
            "tool_calls": [
                _load(names=[SKILL.name, "unheard-of"]),
                _load(names=[SKILL.name], path="references/api.md"),
                *_calls("pods_list"),
            ],
        },
        {
            "agent": "Reader",
            "iteration": 2,
            "needs": [SKILL.body, SKILL.files[0].text],
            "text": "It restarts at night.",
        },
        {
            "agent": "Browser",
            "iteration": 1,
            "text": "It was killed. I look.",
            "native_calls": [
                {"tool": "google_search", "queries": [f"exit code 137 password={PLANTED}"], "sources": _pages(*PAGES)},
                {"tool": "url_context", "queries": [PAGES[1]], "sources": _pages(PAGES[1])},
                {
                    "tool": "code_execution",
                    "code": f'password = "{PLANTED}"\nprint(2**10)',
                    "output": f"password={PLANTED}\n1024",
                },
            ],
            "citations": [{"at": len("It was killed"), "sources": [PAGES[1]]}],
            "tool_calls": _calls("pods_list", "pods_log"),
        },
        {
            "agent": "Browser",
            "iteration": 2,
            "needs": ["It was killed [source 2]. I look.", PAGES[1]],
            "refuses": [PLANTED],
            "text": "Its limit is too low [source 2].",
        },
        {"agent": "SynthesisAgent", "text": "A memory leak since 03:00."},
        {
            "agent": "Fixer",
            "iteration": 1,
            "fail": "too much to do",
            "kind": "rate_limited",
            "retry_after_seconds": 1.5,
            "times": 1,
            "text": "I restart it.",
            "tool_calls": _calls("rollout_restart", "pods_list"),
        },
        {"agent": "Fixer", "iteration": 2, "text": "It was restarted."},
        {"agent": "ComposeAgent", "text": "A memory leak. The pod was deleted."},
        {"agent": "ExecSummaryAgent", "text": "A memory leak; restarted."},
        {
            "agent": "ChatAgent",
            "iteration": 1,
            "text": "I look again.",
            "tool_calls": [_read_the_log(), *_calls("pods_log")],
        },
        {"agent": "ChatAgent", "iteration": 2, "text": "It leaks on.", "tool_calls": _calls("rollout_restart")},
        {"agent": "ChatAgent", "iteration": 3, "text": "Since 03:00; it was restarted once more."},
        {"agent": RATER, "text": ANSWER},
        {
            "agent": "Knower",
            "iteration": 1,
            "needs": ["[memory 1] of 2026-11-01 10:00:00 UTC", REMEMBERED.text],
            "text": "I know where to look.",
            "tool_calls": _calls("pods_list"),
        },
        {"agent": "Knower", "iteration": 2, "text": "The tax run takes its memory [memory 1]."},
        {
            "agent": "ReflectorAgent",
            "needs": [REMEMBERED.text],
            "text": json.dumps(
                {
                    "learned": [{"text": LESSON, "applies_to": ["alert_type"], "calls": [1]}],
                    "reinforced": [{"memory": 1, "reason": "seen again"}],
                }
            ),
        },
        {
            "agent": "Lead",
            "iteration": 1,
            "text": "I send others, one of them twice.",
            "tool_calls": [
                *_send("Lister", "Reader", "Deleter", "Lister"),
                *(call for number in range(LOOKERS) for call in _send("Looker", pod=f"api-{number}")),
                *_calls("pods_list"),
            ],
        },
        {"agent": "Lead", "iteration": 2, "text": "It leaks, and the pod is gone."},
        {
            "agent": "PatientLead",
            "iteration": 1,
            "text": "I send others, one of them twice.",
            "tool_calls": [*_send("Lister", "Reader", "Deleter", "Lister"), *_calls("pods_list")],
        },
        {"agent": "PatientLead", "iteration": 2, "text": "It leaks, and the pod is gone."},
        {
            "agent": "HangingLead",
            "iteration": 1,
            "text": "I send ten.",
            "tool_calls": [
                *(call for number in range(9) for call in _send("Looker", pod=f"api-{number}")),
                *_send("Hanger"),
            ],
        },
        {"agent": "HangingLead", "needs": ["[Sub-agent Hanger"], "text": "It leaks, as nine say."},
        {"agent": "HangingLead", "text": "I wait."},
        {"agent": "Hanger", "text": "Wait a moment.\n" * 1000},
        {"agent": "Looker", "iteration": 1, "text": "I look.", "tool_calls": _calls("pods_list")},
        {"agent": "Looker", "iteration": 2, "text": "It is well."},
        {"agent": "Lister", "iteration": 1, "text": "I list.", "tool_calls": _calls("pods_list", "events_list")},
        {"agent": "Lister", "iteration": 2, "text": "It crashes."},
        {"agent": "Reader", "iteration": 1, "text": "I read.", "tool_calls": _calls("pods_log")},
        {"agent": "Reader", "iteration": 2, "text": "It is out of memory."},
        {"agent": "Deleter", "iteration": 1, "text": "It must go.", "tool_calls": _calls("pods_delete")},
        {"agent": "Deleter", "iteration": 2, "text": "It was deleted."},
        {"agent": "Summarizer", "text": "It is out of memory\nin tax.loadAll."},
    ),
    SHAKY: ({"agent": "Events", "fail": "overloaded", "kind": "provider_error"},),
}
