"""xAI is asked as OpenAI is, at another address and with another key."""

from collections.abc import Mapping

import pytest
from asking import KEY, answer_of, asked, failure_of, request
from completions import HI
from pydantic import SecretStr
from wire import ProviderServer, Reply

from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.openai.adapter import XAI, OpenAiLlm, house_server
from tarsy_llm.provider_type import Provider
from tarsy_llm.providers import build_llm
from tarsy_llm.timeouts import StreamLimits


def xai(settings: ModelSettings) -> OpenAiLlm:
    return OpenAiLlm(settings, house_server(settings, XAI))


class Configured:
    """As a configuration says it."""

    type = "xai"
    scripts = ()
    pace_seconds = 0.0
    model = "grok-4"
    thinking = None
    max_output_tokens = None
    cloud: Mapping[str, str] = {}

    def __init__(self, api_key: SecretStr | None, base_url: str | None) -> None:
        self.api_key = api_key
        self.base_url = base_url


def configured(*, api_key: SecretStr | None = None, base_url: str | None = None) -> Provider:
    provider: Provider = Configured(api_key, base_url)
    return provider


async def test_without_an_address_xai_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ProviderServer([Reply([], 403)]).running() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        llm = xai(ModelSettings(model="grok-4", api_key=SecretStr(KEY)))
        error = await failure_of(llm, request())
        await llm.aclose()
    assert [(said.method, said.target) for said in proxy.asked] == [("CONNECT", "api.x.ai:443")]
    assert str(error).startswith("xAI cannot be reached")


async def test_its_key_goes_with_the_question_and_the_answer_is_read() -> None:
    async with asked(xai, HI, path="/v1") as (llm, server):
        assert (await answer_of(llm, request())).text == "Hi"
    assert (server.asked[0].target, server.asked[0].headers["authorization"]) == (
        "/v1/chat/completions",
        f"Bearer {KEY}",
    )


async def test_without_a_key_its_own_variable_is_named() -> None:
    llm = build_llm(configured(), StreamLimits())
    error = await failure_of(llm, request())
    await llm.aclose()
    assert (error.kind, str(error)) == ("credentials", "there is no API key for xAI: set XAI_API_KEY")


async def test_a_provider_of_type_xai_is_built_of_it() -> None:
    async with ProviderServer([HI]).running() as server:
        llm = build_llm(configured(api_key=SecretStr(KEY), base_url=f"{server.url}/v1"), StreamLimits())
        assert (await answer_of(llm, request())).text == "Hi"
        await llm.aclose()
    assert isinstance(server.asked[0].json, dict)
    assert server.asked[0].json["model"] == "grok-4"
