"""Skills and the agents that have them: what contradicts itself, and what does not fit on the log of a session."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tarsy_config.config import Config
from tarsy_config.document.key_paths import AGENT, ANY, find_names, find_values
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import InvalidConfigError, Mistake, Note, format_path
from tarsy_contracts.chain import ResolvedChain

MOST_BYTES = 1024 * 1024
"""Limit of all skills of one chain, as JSON. They stand on the log of each of its sessions, beside the alert."""
REMEDY = "list `skills` of its agents, or shorten them"


def check_required_skills(document: Document) -> None:
    """An agent that lists its skills lists those that it has to have, too."""
    for path, agent in find_values(document.data, AGENT):
        if not isinstance(agent, dict) or not isinstance(allowed := agent.get("skills"), list):
            continue
        for at, name in find_values(agent.get("required_skills"), (ANY,)):
            if name not in allowed:
                problem = f"{name} is not in the agent's skills"
                document.wrong((*path, "required_skills", *at), problem, "add it there, or take it out here")


def note_missing_folders(document: Document, config_dir: Path) -> None:
    """One that is mounted may come later."""
    for path, name in find_names(document, (("skill_folders", ANY),)):
        if not (config_dir / name).is_dir():
            document.note(path, f"has no skills: there is no folder {name}")


def find_readers(config: Config, plans: Sequence[ResolvedChain]) -> dict[str, list[str]]:
    """The agents that may have each skill, as `chain / agent`. `plans`: those of the configuration."""
    readers: dict[str, list[str]] = {name: [] for name in config.skills}
    for plan in plans:
        types = config.agent_chains[plan.chain_id].alert_types
        for agent in plan.agents():
            for planned in agent.skills:
                meant = config.skills[planned.name].skill.alert_types
                if planned.required or not meant or not types or not set(meant).isdisjoint(types):
                    readers[planned.name].append(f"{plan.chain_id} / {agent.name}")
    return readers


def note_unread_skills(config: Config, plans: Sequence[ResolvedChain]) -> list[Note]:
    unread = [config.skills[name] for name, readers in find_readers(config, plans).items() if not readers]
    return [Note(one.file, 1, "", "no agent of any chain can have it") for one in unread]


def check_skill_sizes(document: Document, config: Config, plans: Sequence[ResolvedChain]) -> None:
    for chain_id, problem in _find_oversized(config, plans):
        document.wrong(("agent_chains", chain_id), problem, REMEDY)


def require_masked_sizes(config: Config) -> None:
    """Masked texts may be longer than they were. Raises InvalidConfigError."""
    found = [
        Mistake("tarsy.yaml", None, format_path(("agent_chains", chain_id)), f"masked, it {problem}", REMEDY)
        for chain_id, problem in _find_oversized(config, config.plans)
    ]
    if found:
        raise InvalidConfigError(found)


def _find_oversized(config: Config, plans: Sequence[ResolvedChain]) -> Iterator[tuple[str, str]]:
    every = {name: one.skill.size for name, one in config.skills.items()}
    for plan in plans:
        sizes = {skill.name: every[skill.name] for agent in plan.agents() for skill in agent.skills}
        if (total := sum(sizes.values()) + _planned_bytes(plan)) > MOST_BYTES:
            largest = ", ".join(sorted(sizes, key=lambda name: -sizes[name])[:3])
            yield plan.chain_id, f"has skills of {total} bytes together (the largest: {largest}), and {MOST_BYTES} fit"


def _planned_bytes(plan: ResolvedChain) -> int:
    """Each agent names its skills, also in the plan."""
    return sum(len(skill.model_dump_json()) for agent in plan.agents() for skill in agent.skills)
