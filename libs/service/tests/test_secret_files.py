"""Secrets in files, for every settings class: `TARSY_X_FILE` instead of `TARSY_X`."""

from pathlib import Path

import pytest
from pydantic import Field, SecretStr, ValidationError

from tarsy_service.settings.secret_files import variables_of
from tarsy_service.settings.service_settings import MaskingSettings, mistakes_in_settings

KEY = "0123456789abcdef"


class OwnSettings(MaskingSettings):
    address: SecretStr = Field(description="has no default")
    place: str = ""


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return tmp_path / "secret"


def mistakes() -> list[str]:
    with pytest.raises(ValidationError) as refused:
        OwnSettings()
    assert KEY not in str(refused.value)
    return mistakes_in_settings(refused.value)


@pytest.mark.parametrize(("content", "value"), [("a b", "a b"), ("a b\n", "a b"), ("a b\n\n", "a b\n"), ("", "")])
def test_one_newline_at_the_end_is_not_part_of_the_secret(
    monkeypatch: pytest.MonkeyPatch, secret: Path, content: str, value: str
) -> None:
    secret.write_text(content, encoding="utf-8")
    monkeypatch.setenv("TARSY_ADDRESS_FILE", str(secret))
    settings = OwnSettings()
    assert settings.address.get_secret_value() == value
    assert "a b" not in repr(settings)


def test_a_secret_of_a_base_class_may_lie_in_a_file_and_need_not_be_text(
    monkeypatch: pytest.MonkeyPatch, secret: Path
) -> None:
    raw = bytes(range(128, 160))
    secret.write_bytes(raw)
    monkeypatch.setenv("TARSY_MASKING_KEY_FILE", str(secret))
    assert MaskingSettings().masking_key_bytes == raw


def test_variable_and_file_together_are_a_mistake(monkeypatch: pytest.MonkeyPatch, secret: Path) -> None:
    secret.write_text(KEY, encoding="utf-8")
    monkeypatch.setenv("TARSY_ADDRESS_FILE", str(secret))
    monkeypatch.setenv("TARSY_ADDRESS", KEY)
    (sentence,) = mistakes()
    assert "TARSY_ADDRESS and TARSY_ADDRESS_FILE are both set: leave one of them out" in sentence


def test_a_file_that_cannot_be_read_is_told_with_all_other_mistakes(
    monkeypatch: pytest.MonkeyPatch, secret: Path
) -> None:
    monkeypatch.setenv("TARSY_ADDRESS_FILE", str(secret))
    monkeypatch.setenv("TARSY_MASKING_KEY_FILE", str(secret.parent))
    monkeypatch.setenv("TARSY_HTTP_PORT", "x")
    told = " ".join(mistakes())
    assert f"TARSY_ADDRESS: Value error, {secret}, which TARSY_ADDRESS_FILE names, cannot be read (No such" in told
    assert "which TARSY_MASKING_KEY_FILE names, cannot be read (Is a directory)" in told
    assert "TARSY_HTTP_PORT" in told


def test_a_checked_secret_is_checked_in_a_file_too(monkeypatch: pytest.MonkeyPatch, secret: Path) -> None:
    secret.write_text("short", encoding="utf-8")
    monkeypatch.setenv("TARSY_MASKING_KEY_FILE", str(secret))
    monkeypatch.setenv("TARSY_ADDRESS", "somewhere")
    assert "the key is shorter than 16 bytes" in " ".join(mistakes())


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch, secret: Path) -> None:
    secret.write_text("from the file", encoding="utf-8")
    monkeypatch.setenv("TARSY_MASKING_KEY_FILE", "")
    monkeypatch.setenv("TARSY_ADDRESS", "")
    monkeypatch.setenv("TARSY_ADDRESS_FILE", str(secret))
    assert OwnSettings().address.get_secret_value() == "from the file"


def test_only_secrets_have_files() -> None:
    names = set(variables_of(OwnSettings))
    assert {"TARSY_ADDRESS_FILE", "TARSY_MASKING_KEY_FILE", "TARSY_KAFKA_PASSWORD_FILE"} <= names
    assert "TARSY_PLACE_FILE" not in names
