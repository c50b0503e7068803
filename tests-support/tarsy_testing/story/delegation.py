"""A session whose first agent may send others, told as the stories are."""

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, SubAgentLimits
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.effects import LlmCallEffect, effects_of
from tarsy_session.state import Execution
from tarsy_testing.story.story import Story, agent, chain, stage

NO_LIMITS = SubAgentLimits()
USUAL = CallLimits()


def plan(
    *parents: ResolvedAgent,
    limits: SubAgentLimits = NO_LIMITS,
    below: tuple[str, ...] = (),
    times: CallLimits = USUAL,
) -> ResolvedChain:
    """Parents that may send Logs and Metrics. `below`: whom Logs may send."""
    sending = {"sub_agents": ("Logs", "Metrics"), "sub_agent_limits": limits}
    sub_agents = {name: agent(name).model_copy(update={"description": f"reads {name}"}) for name in ("Logs", "Metrics")}
    sub_agents["Logs"] = sub_agents["Logs"].model_copy(update={"sub_agents": below, "sub_agent_limits": limits})
    agents = [one.model_copy(update=sending) for one in parents or (agent("Lead"),)]
    return chain(stage(*agents)).model_copy(update={"sub_agents": sub_agents, "limits": times})


def begun(
    *parents: ResolvedAgent,
    limits: SubAgentLimits = NO_LIMITS,
    below: tuple[str, ...] = (),
    times: CallLimits = USUAL,
) -> Story:
    return Story(plan=plan(*parents, limits=limits, below=below, times=times)).asking()


def call(story: Story, *calls: tuple[str, dict[str, str]], who: str = "Lead") -> list[e.Event]:
    """The agent makes these calls in one answer."""
    asked = story.asked(who).llm_call_id
    made = tuple(
        ToolCall(id=tool_call_id(asked, at), name=f"tarsy__{tool}", arguments=dict(arguments))
        for at, (tool, arguments) in enumerate(calls)
    )
    return story.when(story.answer(agent=who).model_copy(update={"tool_calls": made}))


def send(story: Story, *tasks: str, name: str = "Logs", who: str = "Lead") -> list[e.Event]:
    return call(story, *[("dispatch_agent", {"name": name, "task": task}) for task in tasks], who=who)


def answers(events: list[e.Event]) -> list[tuple[str, str]]:
    return [(one.outcome, one.content) for one in events if isinstance(one, e.ToolCallCompleted)]


def started(events: list[e.Event]) -> list[e.ExecutionStarted]:
    return [one for one in events if isinstance(one, e.ExecutionStarted)]


def ended(events: list[e.Event]) -> list[tuple[str, str]]:
    return [(one.agent, one.status) for one in events if isinstance(one, e.ExecutionCompleted)]


def messages(story: Story, who: str = "Lead") -> list[str]:
    return [one.content for one in build_conversation(story.investigating, story.execution(who)).messages]


def child(story: Story, task: str) -> Execution:
    return next(one for one in story.investigating.executions.values() if one.started.task == task)


def asked_ids(story: Story) -> list[str]:
    return [one.event.llm_call_id for one in story.log if isinstance(one.event, e.LlmCallRequested)]


def who_is_asked(story: Story) -> set[str]:
    return {one.execution.agent.name for one in effects_of(story.state) if isinstance(one, LlmCallEffect)}
