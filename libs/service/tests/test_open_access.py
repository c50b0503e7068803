"""A service that others can reach authenticates them, or somebody has said that it need not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from tarsy_service.settings.http import HttpSettings
from tarsy_service.settings.service_settings import AskingSettings, mistakes_in_settings

FILE = """
keys:
  - {name: one, role: viewer, sha256: d583dd8b0267ffbcc4e61a5a5b521c11ac12c90bf3d59b63df8b43baad4c912d}
"""
LOOPBACK = ["127.0.0.1", "127.8.9.10", "::1", "localhost"]
REACHED = ["0.0.0.0", "::", "192.0.2.7", "fd00::2", "build-7", "localhost.example.com", "127.1", ""]
STOPS_AT_ONCE = """
import prometheus_client
from tarsy_service.process.main import run_main
from tarsy_service.settings.service_settings import ServiceSettings

def build(settings: ServiceSettings, registry: prometheus_client.CollectorRegistry) -> None:
    raise SystemExit(0)

run_main(ServiceSettings, build)
"""


@pytest.fixture
def auth_file(tmp_path: Path) -> str:
    file = tmp_path / "auth.yaml"
    file.write_text(FILE, "utf-8")
    file.chmod(0o600)
    return str(file)


def mistakes(settings: type[HttpSettings] = HttpSettings) -> list[str]:
    with pytest.raises(ValidationError) as refused:
        settings()
    return mistakes_in_settings(refused.value)


@pytest.mark.parametrize("host", LOOPBACK)
@pytest.mark.parametrize("access", ["no", "yes"])
def test_on_loopback_nobody_needs_to_be_authenticated(monkeypatch: pytest.MonkeyPatch, host: str, access: str) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", host)
    monkeypatch.setenv("TARSY_OPEN_ACCESS", access)
    assert not HttpSettings().is_open


@pytest.mark.parametrize("host", REACHED)
def test_any_other_address_is_refused_with_a_sentence_that_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", host)
    (sentence,) = mistakes()
    assert f"'{host}'" in sentence
    for setting in ("TARSY_HTTP_HOST", "TARSY_AUTH_FILE", "TARSY_OPEN_ACCESS=yes"):
        assert setting in sentence


@pytest.mark.parametrize("host", REACHED)
def test_who_says_so_on_purpose_may_open_it(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", host)
    monkeypatch.setenv("TARSY_OPEN_ACCESS", "yes")
    assert HttpSettings().is_open


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_with_an_auth_file_every_address_is_right_and_none_is_open(
    monkeypatch: pytest.MonkeyPatch, host: str, auth_file: str
) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", host)
    monkeypatch.setenv("TARSY_AUTH_FILE", auth_file)
    assert not HttpSettings().is_open


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_open_access_and_an_auth_file_contradict_each_other(
    monkeypatch: pytest.MonkeyPatch, host: str, auth_file: str
) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", host)
    monkeypatch.setenv("TARSY_AUTH_FILE", auth_file)
    monkeypatch.setenv("TARSY_OPEN_ACCESS", "yes")
    (sentence,) = mistakes()
    assert "leave one of them out" in sentence


def test_it_is_told_with_all_other_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"HTTP_HOST": "0.0.0.0", "HTTP_PORT": "x", "HOSTS": "http://x", "KAFKA": "", "TRACE_RATIO": "2"}
    for name, value in (wrong | {"API_KEY": "a b"}).items():
        monkeypatch.setenv(f"TARSY_{name}", value)
    told = {line.partition(":")[0] for line in mistakes(AskingSettings)}
    names = {"HTTP_PORT", "HOSTS", "OPEN_ACCESS", "TRACE_RATIO", "API_KEY"}
    assert {f"TARSY_{name}" for name in names} <= told


def test_of_an_auth_file_that_cannot_be_used_only_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", "0.0.0.0")
    monkeypatch.setenv("TARSY_AUTH_FILE", "/nowhere/auth.yaml")
    (sentence,) = mistakes()
    assert sentence.startswith("TARSY_AUTH_FILE: ")


@pytest.mark.parametrize(("host", "warned"), [("0.0.0.0", 1), ("127.0.0.1", 0)])
def test_an_open_service_warns_once_at_its_start(host: str, warned: int) -> None:
    environment = {**os.environ, "TARSY_OPEN_ACCESS": "yes", "TARSY_HTTP_HOST": host}
    done = subprocess.run(
        [sys.executable, "-c", STOPS_AT_ONCE], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "http.open_access" in line]
    assert len(lines) == warned
    assert all('"warning"' in line and host in line for line in lines)
