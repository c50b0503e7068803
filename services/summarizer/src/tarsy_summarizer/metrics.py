"""Prometheus metrics of the summarizer."""

from collections.abc import Callable
from typing import Literal, get_args

from prometheus_client import CollectorRegistry

from tarsy_contracts.conversation import Usage
from tarsy_llm.protocol import ErrorKind
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_service.telemetry.metric_kinds import MetricKinds
from tarsy_worker.claim_types import ServerLoad

SECONDS = (0.5, 1, 2, 5, 10, 30, 60, 120, 300)
BYTES = (4_096, 16_384, 65_536, 150_000, 524_288, 2_097_152, 8_388_608, 33_554_432)

SUMMARIES = "summaries"
"""The one name that all summaries count against: they have one limit."""

type SummaryOutcome = Literal["ok", "error", "cancelled"]
type LlmOutcome = Literal["ok"] | ErrorKind

LLM_OUTCOMES: tuple[str, ...] = ("ok", *get_args(ErrorKind.__value__))


class Metrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        make = MetricKinds(registry)
        self.hops = HopTimes(registry)
        self._ended = make.counter("tarsy_summarizer_summaries_total", "Summaries that ended, by outcome", ["outcome"])
        self._duration = make.histogram(
            "tarsy_summarizer_run_duration_seconds", "From the start of a summary to its end", buckets=SECONDS
        )
        self._running = make.gauge("tarsy_summarizer_summaries_running", "Summaries being written now")
        self._input = make.histogram(
            "tarsy_summarizer_input_bytes",
            "Size of the results that were to be shortened, before any excerpt",
            buckets=BYTES,
        )
        self._busy = make.counter(
            "tarsy_summarizer_busy_refusals_total", "Summaries given back because too many were being written"
        )
        self._llm_calls = make.counter(
            "tarsy_summarizer_llm_calls_total",
            "Models that were asked for a summary, by outcome",
            ["provider", "outcome"],
        )
        self._input_tokens = make.counter(
            "tarsy_summarizer_llm_input_tokens_total",
            "Tokens that models were given for summaries, those from caches included, as providers count them",
            ["provider"],
        )
        self._output_tokens = make.counter(
            "tarsy_summarizer_llm_output_tokens_total",
            "Tokens that models answered with for summaries, thoughts included, as providers count them",
            ["provider"],
        )
        self._thinking_tokens = make.counter(
            "tarsy_summarizer_llm_thinking_tokens_total",
            "Tokens of output that models thought with for summaries, as providers count them",
            ["provider"],
        )
        self._cached_tokens = make.counter(
            "tarsy_summarizer_llm_cached_input_tokens_total",
            "Tokens of input for summaries that providers read from their caches",
            ["provider"],
        )
        self._cache_written_tokens = make.counter(
            "tarsy_summarizer_llm_cache_written_tokens_total",
            "Tokens of input for summaries that providers wrote to their caches, where they say so",
            ["provider"],
        )
        for outcome in get_args(SummaryOutcome.__value__):
            self._ended.labels(outcome)

    def count_ended(self, outcome: SummaryOutcome, seconds: float) -> None:
        self._ended.labels(outcome).inc()
        self._duration.observe(seconds)

    def count_llm_call(self, provider: str, outcome: LlmOutcome, usage: Usage) -> None:
        """`provider` is one that is configured: what a request names besides is never asked."""
        self._llm_calls.labels(provider, outcome).inc()
        self._input_tokens.labels(provider).inc(usage.input_tokens or 0)
        self._output_tokens.labels(provider).inc(usage.output_tokens or 0)
        self._thinking_tokens.labels(provider).inc(usage.thinking_tokens or 0)
        self._cached_tokens.labels(provider).inc(usage.cached_input_tokens or 0)
        self._cache_written_tokens.labels(provider).inc(usage.cache_written_tokens or 0)

    def watch_load(self, load_of: Callable[[str], ServerLoad]) -> None:
        """The gauge asks for the load when somebody reads it."""
        self._running.set_function(lambda: float(load_of(SUMMARIES).running))

    def read(self, size: int) -> None:
        self._input.observe(size)

    def busy(self, server: str) -> None:
        self._busy.inc()
