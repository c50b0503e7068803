import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

sys.path.append(str(Path(__file__).parent))

from summary_owner import WAIT_SECONDS, Owner, owning

from tarsy_bus.client.connection import Bus
from tarsy_llm.protocol import Llm
from tarsy_masking.masker import Masker
from tarsy_summarizer.app import assemble
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_testing.real_servers import FEW_PARTITIONS, TopicPartitions

KEY = bytes(range(32))

type Running = Callable[..., AbstractAsyncContextManager[asyncio.Task[None]]]


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    return FEW_PARTITIONS


@pytest.fixture
async def owner(bus: Bus) -> AsyncIterator[Owner]:
    async with owning(bus) as owner:
        yield owner


@pytest.fixture
def running(bus: Bus) -> Running:
    """A summarizer in this process. The block begins when it is ready, and ends when it has stopped in good order."""

    @asynccontextmanager
    async def run(
        llms: Mapping[str, Llm],
        *,
        at_once: int = 8,
        registry: CollectorRegistry | None = None,
        masker: Masker | None = None,
    ) -> AsyncIterator[asyncio.Task[None]]:
        settings = SummarizerSettings(
            kafka=bus.bootstrap, topic_prefix=bus.topics.prefix, client="summarizer", summaries_at_once=at_once
        )
        ready = asyncio.Event()
        task = asyncio.create_task(
            assemble(settings, registry or CollectorRegistry(), llms, masker or Masker.default(KEY), NoOpTracer()).run(
                ready.set
            )
        )
        async with asyncio.timeout(WAIT_SECONDS):
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            waiting.cancel()
            task.result()
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task], timeout=WAIT_SECONDS)
            assert task.cancelled() or task.exception() is None

    return run
