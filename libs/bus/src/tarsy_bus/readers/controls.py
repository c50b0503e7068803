"""Reader of the control topic: grants, refusals, cancellations and answers of the owners.

Each process that follows it reads all partitions, from their ends as they are at its start.
"""

from collections.abc import Callable

from tarsy_bus.client.connection import Bus, quiet_reader
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.readers.records import parse_message
from tarsy_contracts.messages.control import CONTROLS, Control


async def follow_control(
    bus: Bus,
    heard: Callable[[Control], None],
    listening: Callable[[], None],
    heartbeat: Callable[[], None] = ignore_step,
) -> None:
    """Follows the topic for ever. `listening` is called once nothing published from then on can be missed."""
    topic = next(topic for topic in bus.topics.all() if topic.name == bus.topics.control)
    async with PartitionReader(bus, topic.name, heartbeat, consumer=quiet_reader).running() as follower:
        follower.assign(await follower.ends(range(topic.partitions)))
        listening()
        while True:
            for record in await follower.next():
                control = parse_message(record, CONTROLS, "control.unreadable")
                if control is not None:
                    heard(control)
