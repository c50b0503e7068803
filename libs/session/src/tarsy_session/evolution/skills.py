"""Evolution of the skills that a session has. Pure; None for an event that makes no sense here."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_session.state import Investigating


def apply_skills_recorded(state: Investigating, event: e.SessionSkillsRecorded) -> Investigating | None:
    """They are recorded once, before any agent begins."""
    if state.stages:
        return None
    return replace(state, skills={skill.name: skill for skill in event.skills})
