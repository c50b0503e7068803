"""Estimates of tokens come nearer to what a provider counts, and never leave sane limits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.token_rates import (
    BYTES_PER_TOKEN,
    LEAST_BYTES,
    LEAST_BYTES_PER_TOKEN,
    MOST_BYTES_PER_TOKEN,
    MOST_RATES,
    TextKind,
    TokenRates,
    kind_of_text,
)
from tarsy_contracts.wire.numbers import LARGEST_COUNT

PODS = [{"name": f"checkout-{number}", "restarts": number, "phase": "Running"} for number in range(50)]
LOG = "\n".join(f"2026-11-23T10:{number % 60:02}:00Z INFO request {number} took 12 ms" for number in range(50))
YAML = "\n".join(f"- name: web-{number}\n  image: registry.example/web:1.{number}" for number in range(50))
PROSE = "The checkout restarts whenever its cache is full. Nobody has changed it since the release of Monday.\n\n" * 20


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps(PODS), "json"),
        (json.dumps({"items": PODS}, indent=2), "json"),
        ("\n".join(json.dumps(pod) for pod in PODS), "json"),
        ("[]", "json"),
        (LOG, "logs"),
        (f"[2026-11-23 10:00:00] {LOG}", "logs"),
        (YAML, "logs"),
        (PROSE, "prose"),
        ("Под перезапускается, когда заполнен его кэш. " * 20, "prose"),
    ],
)
def test_the_kind_of_a_text_is_seen_at_its_beginning(text: str, kind: TextKind) -> None:
    assert kind_of_text(text) == kind


def test_without_a_report_the_measured_rates_hold() -> None:
    assert TokenRates().tokens("gemini", "json", 15_000) == 5_000
    assert TokenRates().tokens("gemini", "prose", 15_000) == 3_750


def test_an_estimate_comes_to_what_the_provider_counts() -> None:
    rates = TokenRates()
    errors = []
    for _ in range(8):
        errors.append(abs(rates.tokens("gemini", "logs", 20_000) - 10_000))
        rates = rates.observe("gemini", "logs", size=20_000, tokens=10_000)
    assert errors == sorted(errors, reverse=True)
    assert errors[1] < errors[0] / 3
    assert errors[-1] < 300


def test_one_provider_and_one_kind_of_text_teach_nothing_about_another() -> None:
    rates = TokenRates().observe("gemini", "logs", size=20_000, tokens=10_000)
    assert rates.bytes_per_token("claude", "logs") == BYTES_PER_TOKEN["logs"]
    assert rates.bytes_per_token("gemini", "json") == BYTES_PER_TOKEN["json"]


def test_old_reports_fade_when_the_model_behind_the_name_changes() -> None:
    rates = TokenRates()
    for _ in range(1_000):
        rates = rates.observe("gemini", "json", size=30_000, tokens=15_000)
    for _ in range(20):
        rates = rates.observe("gemini", "json", size=80_000, tokens=20_000)
    assert rates.bytes_per_token("gemini", "json") == pytest.approx(4.0, abs=0.1)


def test_a_short_text_or_no_tokens_teach_nothing() -> None:
    assert TokenRates().observe("gemini", "logs", size=LEAST_BYTES - 1, tokens=9_000) == TokenRates()
    assert TokenRates().observe("gemini", "logs", size=20_000, tokens=0) == TokenRates()
    assert TokenRates().observe("gemini", "logs", size=20_000, tokens=-5) == TokenRates()


def test_what_is_learned_is_bounded() -> None:
    rates = TokenRates()
    for number in range(MOST_RATES + 10):
        rates = rates.observe(f"provider {number}", "logs", size=20_000, tokens=10_000)
    assert len(rates.learned) == MOST_RATES
    assert rates.observe("provider 0", "logs", size=20_000, tokens=10_000) != rates


@given(st.lists(st.tuples(st.integers(0, LARGEST_COUNT), st.integers(-10, LARGEST_COUNT)), max_size=30))
def test_a_provider_that_lies_cannot_move_it_out_of_bounds(reports: list[tuple[int, int]]) -> None:
    rates = TokenRates()
    for size, tokens in reports:
        rates = rates.observe("liar", "json", size=size, tokens=tokens)
        rate = rates.bytes_per_token("liar", "json")
        assert LEAST_BYTES_PER_TOKEN - 1e-9 <= rate <= MOST_BYTES_PER_TOKEN + 1e-9
