"""The HTTP client of every adapter: which way it takes, and how long it waits."""

import pytest

from tarsy_llm.http.http_client import http_client


@pytest.mark.parametrize(
    ("base_url", "by_proxy"),
    [
        (None, True),
        ("https://models.example.org/v1", True),
        ("http://10.0.0.7:8000", True),
        ("http://127.0.0.1:8000", False),
        ("http://[::1]:8000", False),
        ("http://localhost:11434/v1", False),
    ],
)
async def test_proxies_are_for_models_elsewhere(base_url: str | None, by_proxy: bool) -> None:
    async with http_client(base_url) as client:
        assert client.trust_env is by_proxy


async def test_a_connection_has_a_limit_and_the_silence_of_a_model_has_another_keeper() -> None:
    async with http_client(None) as client:
        assert client.timeout.connect == 10.0
        assert client.timeout.read is None


async def test_a_key_does_not_follow_a_redirect() -> None:
    async with http_client(None) as client:
        assert not client.follow_redirects
