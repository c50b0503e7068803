"""A Kafka cluster of three brokers, of which each can be stopped, killed and started again under its clients."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.kafka_folder import LOG_FOLDER, KafkaNode, new_id
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import cache_dir

NUMBERS = (1, 2, 3)
CLUSTER_METADATA = "__cluster_metadata-0"
SETTINGS = {
    # A broker that is killed is missed after this time, and others lead its partitions.
    "broker.session.timeout.ms": "6000",
    # The next one may be stopped only when the one before has caught up: 150 partitions a prefix.
    "num.replica.fetchers": "2",
}


class Brokers:
    def __init__(self, folder: Path) -> None:
        cluster, controllers = new_id(), {number: free_port() for number in NUMBERS}
        self._brokers = [
            EmbeddedKafka(
                folder / f"broker-{number}", port=free_port(), cache_dir=cache_dir(), progress=lambda _: None,
                settings=SETTINGS, node=KafkaNode(number, cluster, controllers),
            )
            for number in NUMBERS
        ]  # fmt: skip

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self._brokers)

    async def start(self) -> None:
        """At once: each waits for a majority of controllers."""
        await asyncio.gather(*[_finish(broker.start_in_steps()) for broker in self._brokers])

    async def restart(self, number: int) -> None:
        """In good order: it hands its partitions over first."""
        broker = self._brokers[number - 1]
        await asyncio.to_thread(broker.stop)
        await _finish(broker.start_in_steps())

    async def kill(self, number: int) -> None:
        """And starts it again, on what it has written."""
        await self._kill(number)
        await self.start_again(number)

    async def end(self, number: int) -> None:
        """Kills it, for as long as the test lasts."""
        await self._kill(number)

    async def lose(self, number: int) -> None:
        """Kills it, and all records that it had are gone. It must be started again when others lead for it."""
        await self._kill(number)
        for partition in (self._brokers[number - 1].data_dir / LOG_FOLDER).iterdir():
            if partition.is_dir() and partition.name != CLUSTER_METADATA:
                await asyncio.to_thread(shutil.rmtree, partition)

    async def start_again(self, number: int) -> None:
        await _finish(self._brokers[number - 1].start_in_steps())

    async def _kill(self, number: int) -> None:
        broker = self._brokers[number - 1]
        os.kill(broker.pid, signal.SIGKILL)
        await asyncio.to_thread(broker.stop)

    def freeze(self, number: int) -> None:
        """It answers nobody. After its session the cluster fences it: it leads nothing until it is thawed."""
        os.kill(self._brokers[number - 1].pid, signal.SIGSTOP)

    def thaw(self, number: int) -> None:
        os.kill(self._brokers[number - 1].pid, signal.SIGCONT)

    def address(self, number: int) -> str:
        return self._brokers[number - 1].bootstrap

    def stop(self) -> None:
        for broker in self._brokers:
            broker.stop(5.0)


async def _finish(starting: Iterator[float]) -> None:
    """On this thread, with whose end the brokers end."""
    for seconds in starting:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def three_brokers(folder: Path) -> AsyncIterator[Brokers]:
    brokers = Brokers(folder)
    try:
        await brokers.start()
        yield brokers
    finally:
        await asyncio.to_thread(brokers.stop)
