"""Events of a phase after the end, whichever it is: it opens the session again, and brings it to rest."""

from typing import ClassVar

from pydantic import JsonValue

from tarsy_contracts.events.execution import EndStatus
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Index

SCORE = "score"
"""The value of `request` when a person wants the investigation to be judged."""


class PhaseRequested(Message):
    """Another life of the session begins, for a phase after the end. `question.asked` ends that life early.

    `number` counts such phases of the session from 1. `request_id`, `author`: of who wanted it; empty for a rule.
    """

    type: ClassVar[str] = "phase.requested"
    phase: str
    phase_id: str
    number: Index
    request_id: str = ""
    author: str = ""


class PhaseCompleted(Message):
    """The phase has ended, well or not, and the session is at rest again. Its own status and analysis stay.

    `stage_id`: the stage that it was; empty where none began. `result`: what came of it, in a form of its own.
    """

    type: ClassVar[str] = "phase.completed"
    phase: str
    phase_id: str
    stage_id: str
    status: EndStatus
    error: str = ""
    result: JsonValue = None
