"""Controllers: the ways in which an agent is led. A new one is a module with an `AgentController`, and a line here."""

from collections.abc import Mapping

from tarsy_contracts.chain import Controller
from tarsy_session.controllers.function_calling import FunctionCalling
from tarsy_session.controllers.protocol import AgentController
from tarsy_session.controllers.react.controller import ReAct
from tarsy_session.controllers.single_shot import SingleShot

CONTROLLERS: Mapping[Controller, AgentController] = {
    "function_calling": FunctionCalling(),
    "react": ReAct(),
    "single_shot": SingleShot(),
}


def describe_unknown_controller(name: Controller) -> str:
    """Why an execution cannot go on; empty when its controller is known."""
    return "" if name in CONTROLLERS else f"The controller {name!r} is not known to this version of TARSy."


def controller_of(name: Controller) -> AgentController:
    """That of function calling for a name that is not known: its execution fails with the next decision."""
    return CONTROLLERS.get(name, CONTROLLERS["function_calling"])
