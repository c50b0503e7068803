"""What the orchestrator counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.inputs_decided = Counter(
            "tarsy_orchestrator_inputs_decided", "Inputs decided, by type.", ["type"], registry=registry
        )
        self.records_dropped = Counter(
            "tarsy_orchestrator_records_dropped",
            "Records of the log that do not continue their session's chain: written by a zombie, or twice.",
            registry=registry,
        )
        self.decisions_lost = Counter(
            "tarsy_orchestrator_decisions_lost", "Decisions that lost against another owner's.", registry=registry
        )
        self.batch_events = Histogram(
            "tarsy_orchestrator_batch_events",
            "Events appended in one batch.",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
            registry=registry,
        )
        self.partitions = Gauge("tarsy_orchestrator_partitions", "Partitions owned now.", registry=registry)
        self.recovery_seconds = Histogram(
            "tarsy_orchestrator_recovery_seconds", "From an assignment to deciding again.", registry=registry
        )
        self.llm_calls = Counter(
            "tarsy_orchestrator_llm_calls", "LLM calls made, by how they ended.", ["result"], registry=registry
        )
        self.llm_seconds = Histogram("tarsy_orchestrator_llm_seconds", "Duration of LLM calls.", registry=registry)
        self.requests_published = Counter(
            "tarsy_orchestrator_requests_published", "Requests put into the queues.", ["queue"], registry=registry
        )
        self.inputs_held = Gauge(
            "tarsy_orchestrator_inputs_held",
            "Partitions whose inbox waits for newer code; raise the version before the inbox's retention passes.",
            registry=registry,
        )
