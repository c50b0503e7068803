"""Calls of models by the names and buckets of OpenTelemetry's conventions, with no label beyond what is known."""

from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from tarsy_service.telemetry.model_metrics import ModelCallMetrics

DURATION, TOKENS = "gen_ai_client_operation_duration_seconds", "gen_ai_client_token_usage"


@dataclass(frozen=True)
class Model:
    provider: str
    model: str


class Calls:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        models = {"main": Model("gcp.gemini", "gemini-x")}
        self.orchestrator, self.summarizer = (
            ModelCallMetrics(self.registry, service, models) for service in ("orchestrator", "summarizer")
        )

    def value(self, name: str, **labels: str) -> float | None:
        known = {
            "service": "orchestrator",
            "gen_ai_operation_name": "chat",
            "gen_ai_provider_name": "gcp.gemini",
            "gen_ai_request_model": "gemini-x",
        }
        return self.registry.get_sample_value(name, known | labels)


def test_a_call_is_counted_with_its_provider_and_its_model_in_the_words_of_the_conventions() -> None:
    calls = Calls()
    calls.orchestrator.observe("main", 1.5, error="", input_tokens=1_000, output_tokens=20)
    assert calls.value(f"{DURATION}_sum", error_type="") == 1.5
    assert calls.value(f"{TOKENS}_sum", gen_ai_token_type="input") == 1_000
    assert calls.value(f"{TOKENS}_sum", gen_ai_token_type="output") == 20


def test_the_buckets_are_those_of_the_conventions() -> None:
    calls = Calls()
    calls.orchestrator.observe("main", 0.011, error="", input_tokens=65, output_tokens=67_108_865)
    seconds = {"0.01": 0, "0.02": 1, "1.28": 1, "81.92": 1, "+Inf": 1}
    assert {end: calls.value(f"{DURATION}_bucket", error_type="", le=end) for end in seconds} == seconds
    given = {"1.0": 0, "64.0": 0, "256.0": 1}
    assert {end: calls.value(f"{TOKENS}_bucket", gen_ai_token_type="input", le=end) for end in given} == given
    answered = {"6.7108864e+07": 0, "+Inf": 1}
    assert {end: calls.value(f"{TOKENS}_bucket", gen_ai_token_type="output", le=end) for end in answered} == answered


def test_a_failure_has_its_kind_and_tokens_that_nobody_counted_are_not_guessed() -> None:
    calls = Calls()
    calls.orchestrator.observe("main", 30.0, error="stalled", input_tokens=None, output_tokens=None)
    assert calls.value(f"{DURATION}_count", error_type="stalled") == 1
    assert calls.value(f"{DURATION}_count", error_type="") is None
    assert calls.value(f"{TOKENS}_count", gen_ai_token_type="input") is None


def test_a_provider_that_is_not_configured_makes_no_label() -> None:
    calls = Calls()
    calls.orchestrator.observe("made-up", 1.0, error="", input_tokens=1, output_tokens=1)
    other = {"gen_ai_provider_name": "other", "gen_ai_request_model": "other"}
    assert calls.value(f"{DURATION}_count", error_type="", **other) == 1


def test_services_of_one_process_share_the_metrics_and_keep_their_names() -> None:
    calls = Calls()
    calls.orchestrator.observe("main", 1.0, error="", input_tokens=1, output_tokens=1)
    calls.summarizer.observe("main", 2.0, error="", input_tokens=1, output_tokens=1)
    sums = [calls.value(f"{DURATION}_sum", service=one, error_type="") for one in ("orchestrator", "summarizer")]
    assert sums == [1.0, 2.0]
