"""The interface of a built-in tool: who gets it, which calls are refused, and where it runs. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_session.state import Investigating, ToolCallState

type Run = Callable[[Investigating, ToolCallState], Sequence[e.Event]]
type Judge = Callable[[Investigating, ToolCallState], bool]


@dataclass(frozen=True, slots=True)
class BuiltinTool:
    """One line of the table. The tool gateway runs it where there is no `run`, and the calls that `leaves_core` names.

    `offered_to`: whether an agent that begins, and has these tools of its servers, gets it. `refusal`: why a call is
    rejected at once, in words that an agent can act on. `call_first`: the call that the session itself makes before its
    first agent begins. `complete_request`: adds what only the core knows to the gateway's request. `run`: ends the
    call, or returns nothing while the call waits for something in the state.
    """

    offer: e.OfferedTool
    offered_to: Callable[[Investigating, ResolvedAgent, Sequence[e.OfferedTool]], bool] = lambda *_: False
    refusal: Callable[[Investigating, Mapping[str, JsonValue]], str | None] = lambda *_: None
    call_first: Callable[[Investigating], e.ToolCallRequested | None] = lambda _: None
    complete_request: Callable[[Investigating, ToolCallRequest], ToolCallRequest] = lambda _, request: request
    run: Run | None = None
    leaves_core: Judge = lambda *_: False
