"""REST answers about dead letters: records that could not be read, and their re-drives."""

from typing import Literal

from tarsy_contracts.api.model import ApiModel, Timestamp

type LetterStatus = Literal["waiting", "redriven"]
type RedriveOutcome = Literal["redriven", "refused", "not_written", "not_marked", "gone"]


class DeadLetterRow(ApiModel):
    """A record that could not be read. `topic`, `partition` and `offset`: where it was met first.

    `service` buried it. `appended_at`: when the original came; null in letters from before it was noted. `attempts`:
    1, and one more for each time that it was buried after a re-drive. `cut`: its end is lost. `size_bytes`: of its
    value, as kept.

    `status` is `redriven` when nothing buried it again after its last re-drive; whether the record was taken stands in
    the timeline. `refusal`: why it cannot be re-driven; null when it can. `reason` is masked, and has its beginning
    only in the list.
    """

    id: str
    status: LetterStatus
    service: str
    topic: str
    partition: int
    offset: int
    appended_at: Timestamp | None
    buried_at: Timestamp
    reason: str
    attempts: int
    cut: bool
    size_bytes: int
    redriven_at: Timestamp | None
    redriven_by: str | None
    refusal: str | None


class DeadLetterList(ApiModel):
    """The newest first. `total_items`: all that fit the filters. `next`: the value of `after` for what follows.

    `forgotten`: so many older ones lie in the topic, and are not listed.
    """

    letters: tuple[DeadLetterRow, ...]
    total_items: int
    next: str | None
    forgotten: int = 0


class MaskedHeader(ApiModel):
    name: str
    value: str


class DeadLetterDetail(DeadLetterRow):
    """A letter with a masked beginning of its record: strangers wrote it. Bytes that are no text are escaped.

    `stored_partition` and `stored_offset`: where it lies in `tarsy.dead-letters`.
    """

    stored_partition: int
    stored_offset: int
    key: str | None
    value: str | None
    shortened: bool
    headers: tuple[MaskedHeader, ...]


class RawHeader(ApiModel):
    """`value` is base64."""

    name: str
    value: str


class DeadLetterRaw(ApiModel):
    """The exact bytes of a record, in base64, **unmasked**. Its headers without those that were added to it."""

    id: str
    key: str | None
    value: str | None
    headers: tuple[RawHeader, ...]


class Redriven(ApiModel):
    """The outcome of one re-drive; of a dry run, what it would be.

    `partition` and `offset`: where the record lies now in `topic`.

    `not_written`: Kafka did not take it; `not_marked`: Kafka took it, and it is listed as waiting all the same;
    `gone`: retention deleted it meanwhile. Each may be repeated without harm.
    """

    id: str
    outcome: RedriveOutcome | Literal["would_redrive"]
    message: str
    topic: str
    partition: int | None = None
    offset: int | None = None


class RedriveAnswer(ApiModel):
    """Some of the letters that fit, the oldest first. `next`: the value of `after` to go on with; null at the end."""

    letters: tuple[Redriven, ...]
    next: str | None
