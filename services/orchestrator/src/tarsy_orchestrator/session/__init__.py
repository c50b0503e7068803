"""A session's life as four pure functions: no clock, no randomness, no I/O.

`evolve` makes the state from the events of the log, and `decide` the events that follow from an input. `owed` lists
what a state still waits for, `answers` what workers and people are told. Nothing in here imports the other rooms.
"""

from tarsy_orchestrator.session.decide import decide
from tarsy_orchestrator.session.decision_input import Given
from tarsy_orchestrator.session.effects import Owed, owed
from tarsy_orchestrator.session.evolve import evolve
from tarsy_orchestrator.session.replies import answers
from tarsy_orchestrator.session.state import ABSENT, Absent, Beyond, Ended, Investigating, State

__all__ = [
    "ABSENT",
    "Absent",
    "Beyond",
    "Ended",
    "Given",
    "Investigating",
    "Owed",
    "State",
    "answers",
    "decide",
    "evolve",
    "owed",
]
