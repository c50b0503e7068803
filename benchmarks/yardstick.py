"""What the machine does now: round trips to Kafka, and a loop of Python. Figures of a run are compared with it."""

import time

from saying import say, tail

from tarsy_bus.client.connection import Bus, producer

TRIPS, STEPS = 200, 2_000_000


def loop_milliseconds() -> float:
    """Of CPU."""
    began = time.process_time()
    sum(range(STEPS))
    return (time.process_time() - began) * 1000


async def tell_yardstick(bus: Bus) -> None:
    loop = loop_milliseconds()
    trips, client = [], producer(bus)
    await client.start()
    try:
        for _ in range(TRIPS):
            began = time.monotonic()
            await client.send_and_wait(bus.topics.stream, value=b"x", partition=0)
            trips.append((time.monotonic() - began) * 1000)
    finally:
        await client.stop()
    say(f"yardstick: Kafka {tail(trips)}; a loop of {STEPS:,} steps {loop:.0f} ms")
