"""Skills of an agent: those that fit it, and how it is told of them. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain
from tarsy_contracts.skills import PlannedSkill, Skill
from tarsy_contracts.tool_patterns import is_named
from tarsy_session.prompts.skills import compose_catalogue, compose_required
from tarsy_session.state import Execution, Investigating


def record_skills(chain: ResolvedChain, alert_type: str, configured: Sequence[Skill]) -> e.SessionSkillsRecorded | None:
    """Returns the skills that agents of this session may read; None without any."""
    planned = [skill for agent in chain.agents() for skill in agent.skills]
    required = {skill.name for skill in planned if skill.required}
    wanted = {skill.name for skill in planned}
    recorded = tuple(
        skill for skill in configured if skill.name in required or (skill.name in wanted and _is_for(skill, alert_type))
    )
    return e.SessionSkillsRecorded(skills=recorded) if recorded else None


def fit_skills(state: Investigating, agent: ResolvedAgent, tools: Iterable[e.OfferedTool]) -> tuple[PlannedSkill, ...]:
    """Those of the agent's plan that are for its alert, and for one of its tools. A required one always fits."""
    names = [name for tool in tools for name in (tool.server, tool.tool, f"{tool.server}.{tool.tool}")]
    return tuple(
        planned
        for planned in agent.skills
        if (skill := state.skills.get(planned.name)) is not None
        and (planned.required or not skill.tools or any(is_named(name, skill.tools) for name in names))
    )


def list_skills(state: Investigating, execution: Execution, *, required: bool) -> list[Skill]:
    """Those that the agent has, as the session recorded them."""
    return [
        state.skills[one.name]
        for one in execution.started.skills
        if one.required == required and one.name in state.skills
    ]


def is_loadable(state: Investigating, planned: PlannedSkill) -> bool:
    """Whether there is more to read of it than the instructions have."""
    return not planned.required or bool(state.skills[planned.name].paths)


def instruct_skills(state: Investigating, execution: Execution) -> str:
    """The part of the instructions that has the skills; empty without any.

    It is made of what stands on the log, and not itself on it: agents that run in parallel have the same skills.
    """
    return "\n\n".join(_sections(state, execution))


def _sections(state: Investigating, execution: Execution) -> Iterator[str]:
    if required := list_skills(state, execution, required=True):
        yield compose_required(required)
    if others := list_skills(state, execution, required=False):
        yield compose_catalogue(others)


def _is_for(skill: Skill, alert_type: str) -> bool:
    return not skill.alert_types or alert_type in skill.alert_types
