"""Public events of a phase after the end of an investigation."""

from typing import ClassVar

from pydantic import JsonValue

from tarsy_contracts.public.model import PublicEvent, Status


class PublicPhaseRequested(PublicEvent):
    """A phase after the end opens the finished investigation again. `number` counts them from 1.

    `author`: who wanted it; empty where a rule did. A question ends it early: then no end of it follows.
    """

    type: ClassVar[str] = "tarsy.phase.requested"
    phase: str
    phase_id: str
    number: int
    author: str = ""


class PublicPhaseCompleted(PublicEvent):
    """The phase has ended, well or not. `result`: what came of it, in a form of its own; null if it did not complete.

    `stage_id`: the stage that it was; empty where none began.
    """

    type: ClassVar[str] = "tarsy.phase.completed"
    phase: str
    phase_id: str
    stage_id: str
    status: Status
    error: str = ""
    result: JsonValue = None
