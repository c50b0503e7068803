"""Result of parsing a ReAct answer."""

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
    """`text` is the part of the answer that is kept: nothing that the model invented after its action.

    Exactly one of the others is set: a call, a final answer, or a reminder of the format if neither was found.
    """

    text: str
    call: WrittenCall | None = None
    final_answer: str = ""
    reminder: str = ""
