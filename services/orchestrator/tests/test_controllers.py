"""Every controller that a chain may name has its object."""

from typing import get_args

from tarsy_contracts.chain import Controller
from tarsy_orchestrator.session.controllers import CONTROLLERS


def test_every_controller_of_the_contracts_is_there() -> None:
    assert CONTROLLERS.keys() == set(get_args(Controller.__value__))
