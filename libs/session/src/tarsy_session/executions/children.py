"""Sub-agents of an execution: whom it may send, who runs, and what it waits for. Pure."""

from dataclasses import dataclass

from tarsy_contracts.chain import ResolvedAgent, ResolvedChain
from tarsy_session.state import AtRest, Execution, Investigating


@dataclass(frozen=True, slots=True)
class SubAgent:
    """`key`: its name in the plan's table."""

    key: str
    agent: ResolvedAgent


def list_sub_agents(chain: ResolvedChain, agent: ResolvedAgent) -> list[SubAgent]:
    """Those that the agent may send. A plan that names one without having it is from other code."""
    return [SubAgent(key, chain.sub_agents[key]) for key in agent.sub_agents if key in chain.sub_agents]


def find_sub_agent(chain: ResolvedChain, agent: ResolvedAgent, name: str) -> SubAgent | None:
    return next((one for one in list_sub_agents(chain, agent) if one.agent.name == name), None)


def list_reachable(chain: ResolvedChain, agents: tuple[ResolvedAgent, ...]) -> dict[str, ResolvedAgent]:
    """All that may run below these agents, by their keys: those whom they may send, and whom these may send."""
    found: dict[str, ResolvedAgent] = {}
    for agent in agents:
        senders = [agent]
        for _ in range(agent.sub_agent_limits.max_depth):
            sent = {one.key: one.agent for sender in senders for one in list_sub_agents(chain, sender)}
            found |= sent
            senders = list(sent.values())
    return found


def children_of(state: Investigating, execution: Execution) -> list[Execution]:
    return [one for one in state.executions.values() if one.parent_id == execution.id]


def has_open_children(state: Investigating, execution: Execution) -> bool:
    return any(one.open for one in children_of(state, execution))


def waits_for_children(state: Investigating, execution: Execution) -> bool:
    """Whether nothing is asked or called for, so that only the end of a sub-agent lets it go on."""
    if not execution.open or execution.waiting_for is not None or not execution.turns:
        return False
    if not all(state.calls[call_id].result_ready for call_id in execution.turns[-1].calls):
        return False
    return has_open_children(state, execution)


def was_told_since(state: Investigating, execution: Execution) -> bool:
    """Whether a sub-agent has ended after the last turn, so that its parent has not read yet what came of it."""
    return any(not one.open and one.read_after == len(execution.turns) for one in children_of(state, execution))


def is_orphan(state: Investigating, execution: Execution) -> bool:
    """Whether the agent that sent it has ended."""
    parent = state.executions.get(execution.parent_id)
    return parent is not None and not parent.open


def ancestors_of(state: Investigating | AtRest, execution: Execution) -> list[Execution]:
    """From its parent to the stage's own agent."""
    found: list[Execution] = []
    parent = state.executions.get(execution.parent_id)
    while parent is not None:
        found.append(parent)
        parent = state.executions.get(parent.parent_id)
    return found
