"""Roles of people, as messages name them. Authentication gives them; decisions compare them."""

ROLES = ("viewer", "responder", "operator", "admin")
"""Each may do all that the ones before it may."""


def is_enough(role: str | None, needed: str) -> bool:
    """Whether a caller with this role may do what needs another one.

    None: nobody is authenticated, so that everybody may. Sessions of before may need what is no role: for these, every
    role is enough.
    """
    if role is None or needed not in ROLES:
        return True
    return role in ROLES and ROLES.index(role) >= ROLES.index(needed)
