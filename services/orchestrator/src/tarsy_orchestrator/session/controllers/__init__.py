"""Controllers: the ways in which an agent is led. A new one is a module with an `AgentController`, and a line here."""

from collections.abc import Mapping

from tarsy_contracts.chain import Controller
from tarsy_orchestrator.session.controllers.function_calling import FunctionCalling
from tarsy_orchestrator.session.controllers.protocol import AgentController
from tarsy_orchestrator.session.controllers.react.controller import ReAct
from tarsy_orchestrator.session.controllers.single_shot import SingleShot

CONTROLLERS: Mapping[Controller, AgentController] = {
    "function_calling": FunctionCalling(),
    "react": ReAct(),
    "single_shot": SingleShot(),
}
