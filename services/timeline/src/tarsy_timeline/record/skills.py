"""Skills of a session as its record shows them, with who loaded each. Pure."""

from collections.abc import Iterator

from tarsy_contracts.api.trace import TracedSkill, TracedSkillFile, TracedSkills
from tarsy_contracts.builtin_tools import LOAD_SKILL, OWN_SERVER
from tarsy_contracts.skills import Skill
from tarsy_session.builtin_tools.load_skill import names_of
from tarsy_timeline.record.replay import ReplayedSession


def skills_of(session: ReplayedSession, session_id: str, last_number: int) -> TracedSkills:
    recorded = {} if session.state is None else session.state.skills
    loads = list(_loads(session))
    return TracedSkills(
        session_id=session_id,
        last_number=last_number,
        complete=session.complete,
        skills=tuple(
            _skill(skill, dict.fromkeys(execution for execution, name in loads if name == skill.name))
            for skill in recorded.values()
        ),
    )


def _loads(session: ReplayedSession) -> Iterator[tuple[str, str]]:
    """The execution and the skill of each call that returned something."""
    calls = () if session.state is None else session.state.calls.values()
    for call in calls:
        requested, completed = call.requested, call.completed
        if (requested.server, requested.tool) != (OWN_SERVER, LOAD_SKILL):
            continue
        if completed is not None and completed.outcome == "ok":
            yield from ((requested.execution_id, name) for name in names_of(requested.arguments))


def _skill(skill: Skill, loaded_by: dict[str, None]) -> TracedSkill:
    return TracedSkill(
        name=skill.name,
        description=skill.description,
        body=skill.body,
        digest=skill.digest,
        files=tuple(TracedSkillFile(path=file.path, text=file.text) for file in skill.files),
        runbooks=skill.runbooks,
        loaded_by=tuple(loaded_by),
    )
