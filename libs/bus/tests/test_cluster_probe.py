"""A cluster says who its brokers are, on a real Kafka."""

from tarsy_bus.client.cluster_probe import BrokerAddress, describe, unreachable
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import admin
from tarsy_processes.ports import free_port


async def test_a_cluster_says_who_its_brokers_are_and_which_addresses_lead_nowhere(bus: Bus) -> None:
    async with admin(bus) as client:
        cluster = await describe(client)
    assert (len(cluster.brokers), cluster.age, cluster.is_too_old) == (1, "4.0 or newer", False)
    nowhere = BrokerAddress(2, "127.0.0.1", free_port())
    assert await unreachable(bus, [*cluster.brokers, nowhere]) == [nowhere]
