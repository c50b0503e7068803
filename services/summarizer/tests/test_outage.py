"""A summary whose source cannot be read, since there is no Kafka."""

from datetime import UTC, datetime

from prometheus_client import CollectorRegistry
from summary_owner import summary

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.wire.topics import Topics
from tarsy_llm.circuits import Circuits
from tarsy_masking.masker import Masker
from tarsy_processes.ports import free_port
from tarsy_service.telemetry.model_metrics import ModelCallMetrics, ProviderMetrics
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.models import Models
from tarsy_summarizer.summarize import Summarizer


async def test_it_waits_out_its_time_and_then_says_that_kafka_could_not_be_reached() -> None:
    """In time of its own: what passes of it are the pauses."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    bus = Bus(bootstrap=f"127.0.0.1:{free_port()}", topics=Topics("none"), client="test")
    providers = ProviderMetrics(CollectorRegistry(), "summarizer")
    models = Models(
        llms={},
        circuits=Circuits({}, providers, monotonic=lambda: sum(pauses), now=lambda: datetime.now(UTC)),
        chunks=ChunkSender(Publisher(bus, source="test", now=lambda: datetime.now(UTC))),
        masker=Masker.default(),
        now=lambda: datetime.now(UTC),
        monotonic=lambda: sum(pauses),
        sleep=sleep,
        metrics=Metrics(CollectorRegistry()),
        model_calls=ModelCallMetrics(CollectorRegistry(), "summarizer", {}),
    )
    result = await Summarizer(bus, models, worker_id="w", input_bytes=1_000).run(summary(timeout=60), "claim")
    # The last attempt may be cut short: it has what is left of the time, and takes as long as the machine needs.
    reasons = ("KafkaConnectionError", "TimeoutError")
    assert result.error in [f"Kafka could not be reached in time: {reason}" for reason in reasons]
    assert len(pauses) > 1
