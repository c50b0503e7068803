"""Filters of dead letters, of the list and of a re-drive."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from tarsy_bus.dead_letters.letter_index import DeadLetter

type Text = Annotated[str, Field(max_length=300)]


class LetterFilter(BaseModel):
    """`topic`, with its prefix or without. `reason`: a part of it, in any case. `since`: buried then or later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: Text = ""
    service: Text = ""
    reason: Text = ""
    since: AwareDatetime | None = None

    def fits(self, letter: DeadLetter, prefix: str) -> bool:
        last = letter.last
        if self.topic and last.topic not in (self.topic, f"{prefix}.{self.topic}"):
            return False
        if self.service and last.service != self.service:
            return False
        if self.reason and self.reason.casefold() not in last.reason.casefold():
            return False
        return self.since is None or datetime.fromtimestamp(last.buried_ms / 1000, UTC) >= self.since


def behind(letters: Iterable[DeadLetter], after: str) -> Iterator[DeadLetter]:
    """The letters that follow the one with this id; all without one, and none where it is not among them."""
    found = not after
    for letter in letters:
        if found:
            yield letter
        found = found or letter.id == after
