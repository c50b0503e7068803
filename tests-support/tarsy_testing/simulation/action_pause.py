"""A person who pauses all actions for a while, as the timeline writes that."""

import asyncio

from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.messages.actions import SWITCH_KEY, ActionsSwitched
from tarsy_testing.simulation.broker import Broker
from tarsy_testing.simulation.services import bus_of

PAUSED_SECONDS = 8.0


async def pause_actions(broker: Broker) -> None:
    publisher = Publisher(bus_of(broker, "olga"), source="olga", now=broker.now)
    async with publisher.running():
        for number, paused in enumerate((True, False)):
            switched = ActionsSwitched(paused=paused, author="olga", comment="Freeze.", at=broker.now())
            catalog = broker.topics.catalog
            await publisher.publish(catalog, switched, key=SWITCH_KEY, id=f"switch-{number}", subject=SWITCH_KEY)
            if paused:
                await asyncio.sleep(PAUSED_SECONDS)
