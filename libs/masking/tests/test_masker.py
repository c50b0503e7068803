"""What holds for every text: masking twice is masking once, it never raises, and ordinary words stay."""

import pytest
from hypothesis import given, settings
from masking_texts import JSON, TEXTS

from tarsy_masking.edits import Edit
from tarsy_masking.json_value import JsonValue
from tarsy_masking.masker import REDACTED, Masker

MASKER = Masker.default()


@settings(max_examples=600, deadline=None)
@given(TEXTS)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = MASKER.mask(text)

    assert MASKER.mask(once) == once
    assert once != REDACTED


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_masking_json_twice_is_masking_it_once(value: JsonValue) -> None:
    once = MASKER.mask_json(value)

    assert MASKER.mask_json(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "token expired, password reset requested for customer 4711",
        "imageID: registry.example.com/shop@sha256:9f2c4e7ab1d05c38e64f9b7a2d10c5e8f3a6b9d2c4e7f1a0b3c6d9e2f5a8b1c4",
        "uid: 7b1e9d54-8a5e-4f53-9b0f-55c1f4f7d2a0",
        "pod/checkout-7c9d6f5b84-x2x7k in CrashLoopBackOff",
        "the secret checkout-credentials was not found",
        "GET /oauth/token status=200 tokens=812 max_tokens: 4096",
        "wrong password for user shop",
        'secretKeyRef:\n  name: checkout-credentials\n  key: password\n',
        "größe: 12 € – ünïcödé 🔑 bleibt",
        "",
    ],
)  # fmt: skip
def test_ordinary_words_stay(text: str) -> None:
    assert MASKER.mask(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "run --token hunter2000 --verbose=true\n",
        "ENV DB_PASSWORD hunter2000 DEBUG=true\n",
        "<password>hunter2000</password> next=null\n",
        'user.setPassword("hunter2000"), next: true\n',
        '{set("token","hunter2000"),next:null,\n',
        "the password was hunter2000, reset=false\n",
    ],
)
def test_a_name_that_is_told_nothing_does_not_hide_the_secret_before_it(text: str) -> None:
    assert "hunter2000" not in MASKER.mask(text)


def test_what_goes_wrong_inside_redacts_the_whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: bytes) -> list[Edit]:
        raise RuntimeError(text)

    masker = Masker.default()
    monkeypatch.setattr("tarsy_masking.masker.yaml_secrets", broken)

    assert masker.mask("anything") == REDACTED
    assert masker.mask_json({"a": ["anything", 1], "b": 2}) == REDACTED


def test_the_log_of_a_failure_does_not_quote_the_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(text: bytes) -> list[Edit]:
        raise RuntimeError(text)

    monkeypatch.setattr("tarsy_masking.masker.yaml_secrets", broken)
    MASKER.mask("hunter2")

    assert "RuntimeError" in caplog.text
    assert "hunter2" not in caplog.text


def test_a_lone_surrogate_hides_nothing() -> None:
    assert MASKER.mask("password=hun\ud800ter2 x") == "password=[MASKED_PASSWORD] x"


def test_of_a_text_with_more_secrets_than_one_may_have_only_the_end_is_redacted() -> None:
    filler = "an ordinary line of a log that says nothing at all\n" * 25_000
    lines = [f"password=hunter{number}\n" for number in range(1_001)]
    masker = Masker.default(most_findings=1_000)

    masked = masker.mask("password=hunter2\n" + filler + "".join(lines))

    assert masked.startswith("password=[MASKED_PASSWORD]\nan ordinary line")
    assert masked.endswith("[MASKED_REST]")
    assert len(masked) > len(filler) / 2
    assert "hunter" not in masked
    assert masker.mask(masked) == masked
    assert [one.rule for one in masker.findings(filler + "".join(lines))] == ["too_many_secrets"]


def test_a_log_with_as_many_secrets_as_ten_dense_megabytes_have_keeps_its_lines() -> None:
    lines = [f"password=hunter{number}\n" for number in range(50_001)]

    assert Masker.default().mask("".join(lines)).count("[MASKED_PASSWORD]") == 50_001


def test_a_text_whose_beginning_has_more_secrets_than_one_may_have_is_redacted_as_a_whole() -> None:
    masker = Masker.default(most_findings=1_000)
    lines = [f"password=hunter{number}\n" for number in range(1_001)]

    assert masker.mask("".join(lines[:1_000])).count("[MASKED_PASSWORD]") == 1_000
    assert masker.mask("".join(lines)) == REDACTED
    assert masker.with_rules({"all"}, ()).mask("".join(lines)) == REDACTED
    assert masker.mask_json({"text": "".join(lines)}) == {"text": REDACTED}
    assert [one.rule for one in masker.findings("".join(lines))] == ["masking_failed"]
