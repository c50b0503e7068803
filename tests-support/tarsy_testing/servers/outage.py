"""A Kafka of a test's own that is killed and started again under its clients, on the same address and data."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_processes.ports import free_port


class KillableKafka:
    def __init__(self, folder: Path) -> None:
        self._kafka = EmbeddedKafka(folder, port=free_port(), cache_dir=default_cache_dir(), progress=lambda _: None)

    @property
    def bootstrap(self) -> str:
        return self._kafka.bootstrap

    async def start(self) -> None:
        """Holds the loop: who is killed with this thread's end has to be started by it."""
        self._kafka.start()

    async def restart(self) -> None:
        """As `start`, while the loop runs on."""
        for seconds in self._kafka.start_in_steps():
            await asyncio.sleep(seconds)

    async def kill(self) -> None:
        os.kill(self._kafka.pid, signal.SIGKILL)
        await asyncio.to_thread(self._kafka.stop)

    def stop(self) -> None:
        self._kafka.stop()


@asynccontextmanager
async def killable_kafka(folder: Path) -> AsyncIterator[KillableKafka]:
    kafka = KillableKafka(folder)
    await kafka.start()
    try:
        yield kafka
    finally:
        kafka.stop()
