"""Every controller that a chain may name has its object."""

from tarsy_contracts.chain import CONTROLLERS as KNOWN
from tarsy_session.controllers import CONTROLLERS


def test_every_controller_of_the_contracts_is_there() -> None:
    assert CONTROLLERS.keys() == set(KNOWN)
