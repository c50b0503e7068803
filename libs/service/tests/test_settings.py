"""What is said of settings that are wrong, and what is never said of them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tarsy_service.settings.http import HttpSettings
from tarsy_service.settings.service_settings import AskingSettings, MaskingSettings, mistakes_in_settings

KEY = "0123456789abcdef"


def test_a_masking_key_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSY_MASKING_KEY", f"{KEY}\n")
    settings = MaskingSettings()
    assert settings.masking_key_bytes == KEY.encode()
    assert KEY not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


@pytest.mark.parametrize("empty", [None, "", " \n"])
def test_without_a_masking_key_there_is_none(monkeypatch: pytest.MonkeyPatch, empty: str | None) -> None:
    if empty is not None:
        monkeypatch.setenv("TARSY_MASKING_KEY", empty)
    assert MaskingSettings().masking_key_bytes is None


def test_a_short_masking_key_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    short = KEY[1:]
    monkeypatch.setenv("TARSY_MASKING_KEY", f"{short} ")
    with pytest.raises(ValidationError) as refused:
        MaskingSettings()
    (sentence,) = mistakes_in_settings(refused.value)
    assert sentence.startswith("TARSY_MASKING_KEY: Value error, the key is shorter than 16 bytes")
    assert short not in f"{sentence} {refused.value}"


def test_a_masking_key_need_not_be_text(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = bytes(range(128, 160))
    monkeypatch.setenv("TARSY_MASKING_KEY", raw.decode(errors="surrogateescape"))
    assert MaskingSettings().masking_key_bytes == raw


@pytest.mark.parametrize("empty", [None, ""])
def test_without_an_auth_file_nobody_is_authenticated(monkeypatch: pytest.MonkeyPatch, empty: str | None) -> None:
    if empty is not None:
        monkeypatch.setenv("TARSY_AUTH_FILE", empty)
    assert HttpSettings().http_policy.authenticate is None


def test_an_auth_file_is_read_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TARSY_AUTH_FILE", str(tmp_path / "auth.yaml"))
    with pytest.raises(ValidationError) as refused:
        HttpSettings()
    (sentence,) = mistakes_in_settings(refused.value)
    assert sentence.startswith("TARSY_AUTH_FILE: ")
    assert "auth.yaml" in sentence


@pytest.mark.parametrize(
    ("key", "headers"), [("", {}), (" \n", {}), (f"{KEY}\n", {"Authorization": f"Bearer {KEY}"})], ids=repr
)
def test_a_service_asks_others_with_its_key(monkeypatch: pytest.MonkeyPatch, key: str, headers: dict[str, str]) -> None:
    monkeypatch.setenv("TARSY_API_KEY", key)
    settings = AskingSettings()
    assert settings.asking_headers == headers
    assert KEY not in f"{settings!r} {settings.model_dump()}"


@pytest.mark.parametrize("key", ["a b", "k\tk", "schl\u00fcssel"])
def test_what_no_header_can_carry_is_no_key(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("TARSY_API_KEY", key)
    with pytest.raises(ValidationError) as refused:
        AskingSettings()
    (sentence,) = mistakes_in_settings(refused.value)
    assert (sentence.startswith("TARSY_API_KEY: "), key in f"{sentence} {refused.value}") == (True, False)
