"""Chunks that stream while a call runs. They are never evolved: a final event replaces the chunks of its call.

`run` tells one start of a call from another: a newer run has a higher number, and replaces the text of an older one.
`index` counts from 0 in a run.
"""

from datetime import datetime
from typing import ClassVar, Literal

from tarsy_contracts.wire.message import Message

CLOCK = 2**42
"""Milliseconds since the epoch stay below it until the year 2109."""
SO_FAR_SECONDS = 2.0
MOST_SO_FAR = 128 * 1024
"""Characters. A call that has said more tells no `TextSoFar`: its chunks have to be read."""
MOST_RELEASES = 2_000
"""Run numbers stay below 2**53, which browsers read exactly."""


class LlmChunk(Message):
    """A part of what a model thinks or writes while it does."""

    type: ClassVar[str] = "llm.chunk"
    call_id: str
    execution_id: str
    run: int
    index: int
    part: Literal["thinking", "text"]
    text: str


class SummaryChunk(Message):
    """A part of a summary while it is written."""

    type: ClassVar[str] = "summary.chunk"
    call_id: str
    execution_id: str
    run: int
    index: int
    text: str


class Progress(Message):
    """Progress that a running call reports, in a sentence."""

    type: ClassVar[str] = "progress"
    call_id: str
    run: int
    index: int
    text: str


class TextSoFar(Message):
    """All that a running call has said until the chunk `index`, for readers that begin now.

    It comes every SO_FAR_SECONDS while the call runs, so that nobody has to read the chunks of before.
    """

    type: ClassVar[str] = "text.so_far"
    call_id: str
    execution_id: str
    run: int
    index: int
    thinking: str = ""
    text: str = ""
    summary: str = ""


type Chunk = LlmChunk | SummaryChunk | Progress | TextSoFar

CHUNKS: dict[str, type[Chunk]] = {kind.type: kind for kind in Chunk.__value__.__args__}


def number_run(releases: int, begun: datetime) -> int:
    """The number of a run that a worker begins of a call that became free again so often, as the log says.

    A worker that takes a call over has the higher number, whatever its clock says. Two workers with one request differ.
    """
    return (min(releases, MOST_RELEASES) + 1) * CLOCK + round(begun.timestamp() * 1000)
