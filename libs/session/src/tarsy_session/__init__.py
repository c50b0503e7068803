"""A session's life as four pure functions: no clock, no randomness, no I/O.

`evolve` makes the state from the events of the log, `decide` the events that follow from an input. `effects_of` lists
what a state still waits for, `replies_to` what workers and people are answered. Nothing in here imports other rooms.
"""

from tarsy_session.decide import decide
from tarsy_session.decision_input import DecisionInput
from tarsy_session.effects import Effect, effects_of
from tarsy_session.evolve import evolve
from tarsy_session.replies import replies_to
from tarsy_session.state import NOT_STARTED, AtRest, Investigating, NotStarted, SessionState, Unsupported
