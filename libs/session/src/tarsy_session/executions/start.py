"""The beginning of a sub-agent, as an event. Pure."""

from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import DELEGATION, OWN_SERVER
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_session.executions.children import SubAgent, list_sub_agents
from tarsy_session.executions.limits import may_send
from tarsy_session.prompts.delegation import compose_delegated_task
from tarsy_session.prompts.system import instruct_sub_agent
from tarsy_session.skills import fit_skills
from tarsy_session.state import Execution, Investigating, Stage
from tarsy_session.system_sections import compose_sections


def start_child(
    state: Investigating, stage: Stage, parent: Execution, child: SubAgent, *, id: str, task: str, at: datetime
) -> e.ExecutionStarted:
    agent = child.agent
    known = stage.sub_agents.get(child.key) or e.SubAgentTools(key=child.key, tools=())
    sends = may_send(state, parent, below=1)
    offered = [tool for tool in map(stage.tools.__getitem__, known.tools) if sends or not _delegates(tool)]
    unavailable = [
        UnavailableServer(server=one.server, reason=one.unavailable) for one in known.withheld if one.unavailable
    ]
    return e.ExecutionStarted(
        execution_id=id,
        stage_id=stage.started.stage_id,
        agent=agent.name,
        index=len(state.all_executions_of(stage)) + 1,
        system=compose_sections(
            instruct_sub_agent,
            agent,
            tools=offered,
            unavailable_servers=unavailable,
            withheld=known.withheld,
            missing=known.missing,
            approvals=[tool.definition.name for tool in offered if tool.definition.name in stage.approvals],
            sub_agents=[one.agent for one in list_sub_agents(state.started.chain, agent)] if sends else (),
        ),
        prompt=compose_delegated_task(state.started.alert, task, at),
        tools=(),
        unavailable_servers=tuple(one.server for one in unavailable),
        llm_provider=agent.llm_provider,
        controller=agent.controller,
        max_iterations=agent.max_iterations,
        stage_tools=tuple(tool.definition.name for tool in offered),
        withheld=known.withheld,
        skills=fit_skills(state, agent, offered),
        parent_execution_id=parent.id,
        task=task,
    )


def _delegates(tool: e.OfferedTool) -> bool:
    return tool.server == OWN_SERVER and tool.tool in DELEGATION
