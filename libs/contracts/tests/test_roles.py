"""The roles of messages."""

from tarsy_auth.roles import Role
from tarsy_contracts.roles import ROLES


def test_they_are_those_of_authentication_in_the_same_order() -> None:
    """That of services is none of a person."""
    assert tuple(role.label for role in sorted(Role) if role is not Role.SERVICE) == ROLES
