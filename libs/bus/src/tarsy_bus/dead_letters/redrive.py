"""Re-drive of dead letters: the original is written back to where it came from, and then the letter is marked.

In this order: a crash in between leaves the letter unmarked, and a second re-drive carries the same identity. The other
way around, a letter would count as re-driven that nobody has.
"""

from aiokafka.structs import RecordMetadata

from tarsy_bus.client.publisher import NotWrittenError, Publisher, TooLargeError
from tarsy_bus.dead_letters.burial import MOST_ATTEMPTS, without_origin
from tarsy_bus.dead_letters.letter_index import DeadLetter
from tarsy_bus.dead_letters.parsing import split_headers
from tarsy_bus.errors import BusError
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.dead_letters import DeadLetterRedriven
from tarsy_contracts.wire.ids import report_id


class RedriveRefusedError(BusError):
    """The letter cannot go back to where it came from. The operator reads why."""


class NotMarkedError(BusError):
    """The letter was re-driven, and its marker was not written. The operator may re-drive it again without harm."""


def refusal_of(letter: DeadLetter, publisher: Publisher) -> str | None:
    """Why a letter cannot be re-driven; None when it can."""
    first, topics = letter.first, publisher.topics
    if first.cut:
        return "It was cut when it was buried, as it was too large: the original's end is lost."
    if first.unparsable:
        return "Kafka's client cannot parse the record, and would write another one."
    if first.topic in (topics.tool_calls, topics.summaries):
        return "It is a request of an orchestrator, which publishes it again by itself for as long as it is owed."
    if first.topic == topics.held:
        return "It waited for a session that was set aside, and an operator ended that session."
    if first.topic not in (topics.alerts, topics.inbox):
        return "Records of this topic are not re-driven: only alerts and inputs of the inbox are."
    if letter.last.attempt >= MOST_ATTEMPTS:
        return "It was buried too often."
    return None


async def redrive(
    publisher: Publisher, cluster: str, letter: DeadLetter, record: Record, author: str
) -> RecordMetadata:
    """Returns where the original lies now. `record`: the letter's first burial. Repeats are harmless.

    It goes to its own partition again: behind the record that it was, in an inbox before everything of its session
    that comes later. Raises RedriveRefusedError, NotWrittenError or NotMarkedError.
    """
    if (refusal := refusal_of(letter, publisher)) is not None:
        raise RedriveRefusedError(refusal)
    own, _ = split_headers(record.headers)
    headers = [*without_origin(own), *letter.first.origin(cluster, letter.last.attempt).headers()]
    first = letter.first
    try:
        lies = await publisher.write(
            first.topic, key=record.key, value=record.value, headers=headers, partition=first.source_partition
        )
    except TooLargeError as problem:
        raise RedriveRefusedError(f"It does not fit a record of ours: {problem}.") from problem
    await _publish_marker(publisher, letter, lies, author)
    return lies


async def _publish_marker(publisher: Publisher, letter: DeadLetter, lies: RecordMetadata, author: str) -> None:
    marker = DeadLetterRedriven(
        letter_id=letter.id,
        attempt=letter.last.attempt,
        author=author,
        topic=lies.topic,
        partition=lies.partition,
        offset=lies.offset,
    )
    try:
        await publisher.publish(
            publisher.topics.dead_letters,
            marker,
            key=letter.id,
            id=report_id(marker.type, letter.id, letter.last.attempt),
            subject=letter.id,
        )
    except NotWrittenError as problem:
        text = f"It was re-driven, and its marker was not written ({problem}): it is listed as if it still waited."
        raise NotMarkedError(text) from problem
