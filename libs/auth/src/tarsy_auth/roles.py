"""Roles: each may do all that the ones before it may."""

from enum import IntEnum


class Role(IntEnum):
    """Written in lower case in files and on pages."""

    VIEWER = 1
    """Reads sessions, results and the configuration without secrets."""
    RESPONDER = 2
    """Submits alerts, chats, cancels, reviews, approves calls."""
    OPERATOR = 3
    """Reads dead letters and drives them again; releases, re-runs and deletes sessions; rebuilds."""
    ADMIN = 4
    """Everything, also what services ask one another (`/internal`)."""

    @property
    def label(self) -> str:
        return self.name.lower()
