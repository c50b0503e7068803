"""Which way a question to a model takes."""

import pytest

from tarsy_egress.proxies import proxy_for
from tarsy_llm.http.streaming_client import open_client

PROXY = "http://proxy.example.org:3128"


@pytest.fixture(autouse=True)
def _only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("address", "proxy"),
    [
        ("https://models.example.org/v1", PROXY),
        ("http://10.0.0.7:8000", None),
        ("https://inside.example.net/v1", None),
        ("https://127.0.0.1:8000", None),
        ("https://[::1]:8000", None),
        ("https://localhost:11434/v1", None),
    ],
)
def test_proxies_are_for_models_elsewhere(address: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    monkeypatch.setenv("NO_PROXY", "example.net")
    assert proxy_for(address) == proxy


def test_one_proxy_may_be_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", PROXY)
    assert proxy_for("http://models.example.org") == PROXY


async def test_a_connection_has_a_limit_and_the_silence_of_a_model_has_another_keeper() -> None:
    http = await open_client("https://models.example.org/v1/chat/completions")
    try:
        assert http.session.timeout.sock_connect == 10.0
        assert (http.session.timeout.sock_read, http.session.timeout.total) == (None, None)
        assert not http.session.trust_env
    finally:
        await http.aclose()


@pytest.mark.parametrize(
    ("no_proxy", "address", "direct"),
    [
        ("10.0.0.0/8", "http://10.42.0.7:8000/v1", True),
        ("localhost, 10.0.0.0/8,.svc", "https://10.42.0.7/v1", True),
        ("fd00::/8", "http://[fd00::7]:8000/v1", True),
        ("10.0.0.0/8", "http://11.42.0.7:8000/v1", False),
        ("10.0.0.0/99", "http://10.42.0.7:8000/v1", False),
    ],
)
def test_networks_of_no_proxy_are_asked_directly(
    monkeypatch: pytest.MonkeyPatch, no_proxy: str, address: str, direct: bool
) -> None:
    monkeypatch.setenv("http_proxy", PROXY)
    monkeypatch.setenv("https_proxy", PROXY)
    monkeypatch.setenv("no_proxy", no_proxy)
    assert proxy_for(address) == (None if direct else PROXY)
