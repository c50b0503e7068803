"""Kinds of failed LLM calls that TARSy names itself. All others are those of tarsy_llm.protocol. Pure."""

from typing import Literal

from tarsy_contracts.events import ENDED_BY_US

type OwnKind = Literal["call_timeout", "iteration_timeout", "repetition", "broken", "cancelled", "circuit_open"]
"""call_timeout: the whole call took too long. iteration_timeout: the iteration did. repetition: the model said the same
thing again and again, and was broken off. broken: our adapter failed. cancelled: nobody waits for the answer.
circuit_open: nobody was asked, as the provider has failed in a row and another one is left."""

CALL_TIMEOUT: OwnKind = "call_timeout"
ITERATION_TIMEOUT: OwnKind = "iteration_timeout"
REPETITION: OwnKind = "repetition"
BROKEN: OwnKind = "broken"
CANCELLED: OwnKind = ENDED_BY_US
CIRCUIT_OPEN: OwnKind = "circuit_open"
SESSION_TIMEOUT = "session_timeout"
"""The time of the session, or of the reply, was up before the answer came."""
CONTEXT_FULL = "context_full"
TOOLS_REFUSED = "tools_refused"
MAY_CONCLUDE = frozenset({CONTEXT_FULL, TOOLS_REFUSED, "malformed_call", "truncated", "refused", "invalid_request"})
"""After these failures a model may still conclude, without tools."""
