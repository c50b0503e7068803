"""What was read in an answer of a model."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A tool call as the model wrote it. `name` is `server__tool` where it could be told, else what stood there."""

    name: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """`text` is what is kept of the answer: nothing that the model invented after its action.

    Exactly one of the others says something: a call, a final answer, or a reminder of the format, which is what the
    agent is told when neither could be found.
    """

    text: str
    call: WrittenCall | None = None
    final_answer: str = ""
    reminder: str = ""
