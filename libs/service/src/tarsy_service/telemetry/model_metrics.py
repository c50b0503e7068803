"""Metrics of calls of models, named as OpenTelemetry's conventions for generative AI have it.

Each is there once for all services of a process. https://github.com/open-telemetry/semantic-conventions-genai
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from tarsy_service.telemetry.shared_metrics import get_or_create_metric

CHAT = "chat"
OTHER = "other"
TOKEN_TYPES = ("input", "output")
TOKENS = tuple(4**power for power in range(14))
SECONDS = tuple(2**power / 100 for power in range(14))
"""The conventions' buckets, both."""


class NamedModel(Protocol):
    """A model and who serves it, in OpenTelemetry's words."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...


class ModelCallMetrics:
    """Calls of models by one service.

    `models`: what the providers of the configuration stand for. No other name becomes a label; neither does the model
    that a provider says it has answered with.
    """

    def __init__(self, registry: CollectorRegistry, service: str, models: Mapping[str, NamedModel]) -> None:
        self._service = service
        self._models = models
        named = ["service", "gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"]
        self._duration = get_or_create_metric(
            registry,
            Histogram,
            "gen_ai_client_operation_duration_seconds",
            "From asking a model to the end of its answer, or to its failure; a call that was cancelled is not counted",
            [*named, "error_type"],
            buckets=SECONDS,
        )
        self._tokens = get_or_create_metric(
            registry,
            Histogram,
            "gen_ai_client_token_usage",
            "Tokens of a call, as its provider counts them: those from caches are input, thoughts are output",
            [*named, "gen_ai_token_type"],
            buckets=TOKENS,
        )
        self._duration_of, self._tokens_of = cache(self._duration.labels), cache(self._tokens.labels)

    def observe(
        self, provider: str, seconds: float, *, error: str, input_tokens: int | None, output_tokens: int | None
    ) -> None:
        """`provider`: its name in the configuration. `error`: the kind of failure, a word of ours; empty for none.

        Tokens that the provider did not count are not guessed.
        """
        known = self._models.get(provider)
        named = (OTHER, OTHER) if known is None else (known.provider, known.model)
        labels = (self._service, CHAT, *named)
        self._duration_of(*labels, error).observe(seconds)
        for kind, tokens in zip(TOKEN_TYPES, (input_tokens, output_tokens), strict=True):
            if tokens is not None:
                self._tokens_of(*labels, kind).observe(tokens)


class ProviderMetrics:
    """Providers of models that one service does not ask for a while, as they failed in a row."""

    def __init__(self, registry: CollectorRegistry, service: str) -> None:
        self._service = service
        self._failing = get_or_create_metric(
            registry,
            Gauge,
            "tarsy_process_llm_provider_failing",
            "1 while a provider is not asked, as it failed in a row; in a process that has seen a failure of it",
            ["service", "provider"],
        )
        self._skipped = get_or_create_metric(
            registry,
            Counter,
            "tarsy_process_llm_calls_skipped_total",
            "Calls that another provider was asked for at once, as the one that came first fails",
            ["service", "provider"],
        )

    def watch_provider(self, provider: str, is_failing: Callable[[], bool]) -> None:
        """`provider`: one that is configured. The gauge asks when somebody reads it."""
        self._failing.labels(self._service, provider).set_function(lambda: float(is_failing()))

    def count_skipped(self, provider: str) -> None:
        self._skipped.labels(self._service, provider).inc()
