"""Words of delegation: whom an agent may send, the task of a sub-agent, and what came of it. Pure."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from string import Template

from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.events import ExecutionCompleted
from tarsy_session.prompts.present_time import compose_time
from tarsy_session.text import fence, remove_marks, shorten, to_one_line

RESULT_CHARACTERS = 40_000
VALUE_CHARACTERS = 500
DESCRIPTION_CHARACTERS = 500

SUB_AGENTS = Template("""\
## Sub-agents

You may send others to look side by side, each with a task of its own. They see neither your conversation nor the whole
alert: name in the task what to look at, where, for which time, and what to bring back. Tasks that do not need each
other's results belong in one turn. Their results come to you as messages, while you go on. An answer without a call
waits for those that still run, so do not ask again and again how far they are. Judge what they bring as you judge any
evidence, and cite the calls that they cite.

$agents""")

TASK = Template("""\
$time

## Your task

$task""")

FACTS = Template("""\
## The alert

What your task names of the alert that is being investigated:

$facts""")


def compose_sub_agents(agents: Sequence[ResolvedAgent]) -> str:
    return SUB_AGENTS.substitute(agents=list_descriptions(agents))


def list_descriptions(agents: Sequence[ResolvedAgent]) -> str:
    return "\n".join(_describe(agent) for agent in agents)


def _describe(agent: ResolvedAgent) -> str:
    words = to_one_line(agent.description, DESCRIPTION_CHARACTERS)
    return f"- {agent.name}: {words}" if words else f"- {agent.name}"


def compose_delegated_task(alert: Alert, task: str, at: datetime) -> str:
    words = TASK.substitute(time=compose_time(at), task=remove_marks(task))
    facts = "\n".join(
        f"{name}: {to_one_line(value, VALUE_CHARACTERS)}" for name, value in find_named_facts(alert, task)
    )
    return "\n\n".join((words, FACTS.substitute(facts=fence("ALERT", facts))))


def find_named_facts(alert: Alert, task: str) -> Iterator[tuple[str, str]]:
    """Yields what the alert is, and each fact of it whose name or value stands in the task."""
    yield "Type", alert.alert_type
    if alert.title:
        yield "Title", alert.title
    words = task.casefold()
    found = {
        "severity": alert.severity,
        "cluster": alert.cluster,
        "namespace": alert.namespace,
        "workload": alert.workload,
        **alert.labels,
    }
    for name, value in found.items():
        if value and (_is_named(name, words) or _is_named(value, words)):
            yield name, value


def _is_named(fact: str, words: str) -> bool:
    """Whether it stands there by itself: `api` does not in `api-7`, and does in `shop/api`."""
    return re.search(rf"(?<![\w-]){re.escape(fact.casefold())}(?![\w-])", words) is not None


def note_sub_agent_ended(execution_id: str, ended: ExecutionCompleted, most: int | None = None) -> str:
    """Writes the message by which a parent reads what came of a sub-agent. `most`: characters of its result."""
    parts = [f"[Sub-agent {ended.agent} ({execution_id}) has ended: {ended.status}.{_why(ended)}]"]
    if ended.final_analysis:
        limit = RESULT_CHARACTERS if most is None else min(most, RESULT_CHARACTERS)
        parts.append(fence("RESULT", shorten(ended.final_analysis, limit)))
    return "\n\n".join(parts)


def _why(ended: ExecutionCompleted) -> str:
    reason = ended.error or ended.partial_reason
    return f" {to_one_line(reason, VALUE_CHARACTERS)}" if reason else ""
