"""Roles of people and programs, each of which may do all that the ones before it may; and that of services."""

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
    SERVICE = 0
    """Asks other services as ours do, and may do nothing else: it stands beside the others, not below them."""

    @property
    def label(self) -> str:
        return self.name.lower()

    @property
    def sees_all(self) -> bool:
        """Session groups limit nothing for it."""
        return self is Role.SERVICE or self >= Role.OPERATOR

    def may(self, needed: "Role") -> bool:
        """Whether it may do what needs the other one. An admin may ask all that services ask."""
        if needed is Role.SERVICE:
            return self in (Role.SERVICE, Role.ADMIN)
        return self >= needed
