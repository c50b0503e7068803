"""Azure OpenAI, Vertex AI and Bedrock: address, credential, body, answer, and what a cloud refuses."""

import asyncio
import json
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import claude
import completions
import gemini
import pytest
from asking import KEY, RESULTS, answer_of, asked, failure_of, parts_of, request, through_the_log, two_calls, words
from clouds import (
    REGION,
    SIGNED_AWS,
    assert_signed,
    claude_frames,
    clean_environment,
    converse,
    converse_call,
    converse_frames,
    converse_text,
    entra_token,
    google_token,
    on_cloud,
    self_signed,
    service_account,
)
from pydantic import JsonValue, SecretStr
from wire import Cut, ProviderServer, Reply, Silence

from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_contracts.conversation import Usage, UserMessage
from tarsy_llm.clouds.azure import azure_llm, completions_address
from tarsy_llm.clouds.bedrock import bedrock_llm, model_address
from tarsy_llm.clouds.vertex import claude_address, vertex_llm
from tarsy_llm.credentials.cache import CredentialCache, Lease
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Delta, Llm, LlmCallError
from tarsy_llm.providers import PROVIDER_TYPES
from tarsy_testing.servers.event_stream import EVENT_STREAM, exception

CLAUDE, NOVA = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "eu.amazon.nova-2-lite-v1:0"
TOKEN = "ya29.planted-token"
REFUSED = Reply([b'{"error": {"code": 401, "message": "the token is bad"}}'], 401, "application/json")


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    with clean_environment(**SIGNED_AWS):
        yield


def bedrock(settings: ModelSettings) -> Llm:
    return bedrock_llm(on_cloud(settings, region=REGION))


@asynccontextmanager
async def on_vertex(
    folder: Path, tokens: list[Reply], *replies: Reply, model: str = "claude-sonnet-5@20260101"
) -> AsyncIterator[tuple[Llm, ProviderServer, ProviderServer]]:
    async with ProviderServer(tokens).running() as token_server:
        file = service_account(folder, f"{token_server.url}/token")

        def vertex(settings: ModelSettings) -> Llm:
            return vertex_llm(on_cloud(settings, project="shop", location="europe-west1", credentials=str(file)))

        async with asked(vertex, *replies, model=model) as (llm, server):
            yield llm, server, token_server


# Azure OpenAI


@pytest.mark.parametrize(
    ("base_url", "version", "address"),
    [
        ("https://shop.openai.azure.com", "", "https://shop.openai.azure.com/openai/v1/chat/completions"),
        ("https://shop.openai.azure.com/openai/v1/", "", "https://shop.openai.azure.com/openai/v1/chat/completions"),
        (
            "https://shop.openai.azure.com/",
            "2025-04-01-preview",
            "https://shop.openai.azure.com/openai/deployments/our%20gpt/chat/completions?api-version=2025-04-01-preview",
        ),
        (
            "https://shop.openai.azure.com/openai/deployments/other",
            "2024-10-21",
            "https://shop.openai.azure.com/openai/deployments/our%20gpt/chat/completions?api-version=2024-10-21",
        ),
        ("https://openai.gateway.example/azure", "", "https://openai.gateway.example/azure/openai/v1/chat/completions"),
    ],
)
def test_a_deployment_of_azure_has_an_address(base_url: str, version: str, address: str) -> None:
    settings = ModelSettings(model="our gpt", base_url=base_url, cloud={"api_version": version})
    assert completions_address(settings) == address


async def test_azure_is_asked_with_a_key_in_its_own_header() -> None:
    async with asked(azure_llm, completions.HI) as (llm, server):
        assert (await answer_of(llm, request())).text == "Hi"
    (said,) = server.asked
    assert (said.target, said.headers["api-key"]) == ("/openai/v1/chat/completions", KEY)
    assert "authorization" not in said.headers


async def test_without_a_key_azure_is_asked_with_a_token_of_entra() -> None:
    async with ProviderServer([entra_token(TOKEN)]).running() as identity:
        with clean_environment(IDENTITY_ENDPOINT=f"{identity.url}/msi", IDENTITY_HEADER="of-the-platform"):
            async with asked(lambda one: azure_llm(on_cloud(one)), completions.HI, completions.HI) as (llm, server):
                for _ in range(2):
                    assert (await answer_of(llm, request())).text == "Hi"
    assert [said.headers["authorization"] for said in server.asked] == [f"Bearer {TOKEN}"] * 2
    assert len(identity.asked) == 1
    assert "resource=https://cognitiveservices.azure.com" in identity.asked[0].target


async def test_entra_that_refuses_is_told_as_missing_credentials() -> None:
    refusal = Reply([b'{"statusCode": 400, "message": "No User Assigned Identity found"}'], 400, "application/json")
    async with ProviderServer([refusal] * 3).running() as identity:
        with clean_environment(IDENTITY_ENDPOINT=f"{identity.url}/msi", IDENTITY_HEADER="of-the-platform"):
            async with asked(lambda one: azure_llm(on_cloud(one))) as (llm, server):
                error = await failure_of(llm, request())
    assert (error.kind, server.asked) == ("credentials", [])
    assert str(error).startswith("Entra ID gives no credentials: ")


@asynccontextmanager
async def workload_identity(folder: Path, token: Reply) -> AsyncIterator[tuple[Llm, ProviderServer, ProviderServer]]:
    """A pod of AKS: a federated token in a file, and an Entra ID whose certificate only we know."""
    certificate = self_signed(folder)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    (folder / "federated").write_text("eyJ.planted.federated")
    async with ProviderServer([token], tls).running() as login:
        with clean_environment(
            AZURE_FEDERATED_TOKEN_FILE=str(folder / "federated"),
            AZURE_CLIENT_ID="our-client",
            AZURE_TENANT_ID="our-tenant",
            AZURE_AUTHORITY_HOST=login.url,
            REQUESTS_CA_BUNDLE=str(certificate),
        ):
            async with asked(lambda one: azure_llm(on_cloud(one)), completions.HI) as (llm, server):
                yield llm, server, login


async def test_workload_identity_of_a_pod_is_exchanged_for_a_token_of_entra(tmp_path: Path) -> None:
    async with workload_identity(tmp_path, google_token(TOKEN)) as (llm, server, login):
        assert (await answer_of(llm, request())).text == "Hi"
    assert server.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert b"client_assertion=eyJ.planted.federated" in login.asked[-1].body
    assert b"scope=https%3A%2F%2Fcognitiveservices.azure.com%2F.default" in login.asked[-1].body


async def test_a_pod_that_entra_does_not_know_is_told_why(tmp_path: Path) -> None:
    said = {"error": "invalid_client", "error_description": "AADSTS700213: no matching federated identity record"}
    async with workload_identity(tmp_path, Reply([json.dumps(said).encode()], 401, "application/json")) as given:
        llm, server, _ = given
        error = await failure_of(llm, request())
    assert (error.kind, server.asked) == ("credentials", [])
    assert "AADSTS700213" in str(error)
    assert "planted" not in str(error)


async def test_an_entra_that_cannot_be_reached_may_be_reached_later(tmp_path: Path) -> None:
    (tmp_path / "federated").write_text("eyJ.planted.federated")
    async with ProviderServer([]).running() as gone:
        host = gone.url.replace("http:", "https:")
    with clean_environment(
        AZURE_FEDERATED_TOKEN_FILE=str(tmp_path / "federated"),
        AZURE_CLIENT_ID="our-client",
        AZURE_TENANT_ID="our-tenant",
        AZURE_AUTHORITY_HOST=host,
    ):
        async with asked(lambda one: azure_llm(on_cloud(one))) as (llm, server):
            error = await failure_of(llm, request())
    assert (error.kind, server.asked) == ("provider_error", [])
    assert str(error).startswith("the token server of Entra ID cannot be reached or failed: ")


# Vertex AI


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("europe-west1", "https://europe-west1-aiplatform.googleapis.com"),
        ("global", "https://aiplatform.googleapis.com"),
        ("eu", "https://aiplatform.eu.rep.googleapis.com"),
    ],
)
def test_claude_on_vertex_has_an_address(location: str, host: str) -> None:
    settings = ModelSettings(model="claude-sonnet-5", cloud={"project": "shop", "location": location})
    assert claude_address(settings) == (
        f"{host}/v1/projects/shop/locations/{location}/publishers/anthropic/models/claude-sonnet-5:streamRawPredict"
    )


async def test_claude_on_vertex_is_asked_in_its_own_dialect(tmp_path: Path) -> None:
    counted = claude.start(input_tokens=100, cache_read_input_tokens=1_000, cache_creation_input_tokens=200)
    hi = claude.streamed(counted, *claude.text(0, "Hi"), *claude.stop("end_turn"))
    async with on_vertex(tmp_path, [google_token(TOKEN)], hi) as (llm, server, tokens):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.usage.input_tokens, answer.usage.cached_input_tokens) == ("Hi", 1_300, 1_000)
    (said,) = server.asked
    assert said.target.endswith("/publishers/anthropic/models/claude-sonnet-5@20260101:streamRawPredict")
    assert said.headers["authorization"] == f"Bearer {TOKEN}"
    body = said.json
    assert isinstance(body, dict)
    assert (body["anthropic_version"], body["stream"], "model" in body) == ("vertex-2023-10-16", True, False)
    # One mark of the tools is enough: more would be written twice.
    assert json.dumps(body["tools"]).count("cache_control") == 1
    assert b"assertion=" in tokens.asked[0].body


async def test_claude_on_vertex_searches_with_the_word_that_vertex_wants(tmp_path: Path) -> None:
    wanted = request().model_copy(update={"native_tools": NATIVE_TOOLS})
    async with on_vertex(tmp_path, [google_token(TOKEN)], claude.HI, claude.HI) as (llm, server, _):
        answers = [await answer_of(llm, wanted), await answer_of(llm, request())]
    searching, usual = server.asked
    assert searching.headers["anthropic-beta"] == "web-search-2025-03-05"
    assert b'"type":"web_search_20250305"' in searching.body
    assert ("anthropic-beta" in usual.headers, b"web_search" in usual.body) == (False, False)
    assert [answer.native_left_out for answer in answers] == [("url_context", "code_execution"), ()]


async def test_gemini_on_vertex_is_asked_with_a_token(tmp_path: Path) -> None:
    hi = gemini.streamed(gemini.chunk(gemini.text("Hi"), finish="STOP"))
    tokens = [google_token(TOKEN)]
    async with on_vertex(tmp_path, tokens, hi, hi, model="gemini-3-pro-preview") as (llm, server, token_server):
        for _ in range(2):
            answer = await answer_of(llm, request().model_copy(update={"native_tools": ("google_search",)}))
            assert (answer.text, answer.native_left_out) == ("Hi", ("google_search",))
    path = "/v1beta1/projects/shop/locations/europe-west1/publishers/google/models/gemini-3-pro-preview"
    assert {said.target for said in server.asked} == {f"{path}:streamGenerateContent?alt=sse"}
    assert {said.headers["authorization"] for said in server.asked} == {f"Bearer {TOKEN}"}
    assert b"googleSearch" not in server.asked[0].body
    assert len(token_server.asked) == 1


@pytest.mark.parametrize("model", ["claude-sonnet-5", "gemini-3-pro-preview"])
async def test_a_kept_token_that_is_refused_is_renewed_once(tmp_path: Path, model: str) -> None:
    hi = claude.HI if "claude" in model else gemini.streamed(gemini.chunk(gemini.text("Hi"), finish="STOP"))
    tokens = [google_token("first"), google_token("second")]
    async with on_vertex(tmp_path, tokens, hi, REFUSED, hi, model=model) as (llm, server, _):
        for _ in range(2):
            assert (await answer_of(llm, request())).text == "Hi"
    assert [said.headers["authorization"] for said in server.asked] == ["Bearer first", "Bearer first", "Bearer second"]


async def test_a_new_token_that_is_refused_is_not_asked_with_again(tmp_path: Path) -> None:
    async with on_vertex(tmp_path, [google_token(TOKEN)], REFUSED) as (llm, server, _):
        assert (await failure_of(llm, request())).kind == "credentials"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "words_of_it"),
    [
        (
            Reply([b'{"error": "invalid_grant", "error_description": "account not found"}'], 400, "application/json"),
            "credentials",
            "Google Cloud gives no credentials: invalid_grant",
        ),
        (Reply([b"<html>"], 503), "provider_error", "the token server of Google Cloud cannot be reached or failed"),
    ],
)
async def test_a_token_server_that_refuses_or_fails_is_told(
    tmp_path: Path, reply: Reply, kind: str, words_of_it: str
) -> None:
    async with on_vertex(tmp_path, [reply] * 9) as (llm, server, _):
        error = await failure_of(llm, request())
    assert (error.kind, server.asked) == (kind, [])
    assert str(error).startswith(words_of_it)
    assert "eyJ" not in str(error)


async def test_a_file_of_credentials_that_is_none_is_told_without_its_content(tmp_path: Path) -> None:
    (file := tmp_path / "odd.json").write_text('{"private_key": "planted"')
    settings = ModelSettings(model="claude-sonnet-5", cloud={"project": "p", "location": "l", "credentials": str(file)})
    llm = vertex_llm(settings)
    error = await failure_of(llm, request())
    await llm.aclose()
    assert error.kind == "credentials"
    assert "planted" not in str(error)


async def test_a_model_that_vertex_does_not_know_at_the_moment_may_be_asked_again(tmp_path: Path) -> None:
    said = "Publisher Model `projects/shop/.../claude-sonnet-5` was not found or your project does not have access."
    gone = Reply([json.dumps({"error": {"code": 404, "message": said}}).encode()], 404, "application/json")
    async with on_vertex(tmp_path, [google_token(TOKEN)], gone) as (llm, _, _):
        assert (await failure_of(llm, request())).kind == "provider_error"


# Bedrock


def test_a_model_of_bedrock_has_an_address() -> None:
    arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc"
    assert model_address(ModelSettings(model=arn, cloud={"region": REGION}), "converse-stream") == (
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/"
        "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile%2Fabc/converse-stream"
    )


async def test_claude_on_bedrock_is_asked_in_its_own_dialect_and_signed() -> None:
    reply = Reply(claude_frames(*claude.CALLS), content_type=EVENT_STREAM)
    async with asked(bedrock, reply, reply, model=CLAUDE) as (llm, server):
        deltas, answer = await parts_of(llm, request())
        said = through_the_log(two_calls(answer))
        await answer_of(llm, request(UserMessage(content="Why?"), said, *RESULTS))
    assert (words(deltas, "thinking"), answer.text) == ("Which pod?", "I look.")
    assert [call.arguments for call in answer.tool_calls] == [{"namespace": "shop"}, {"namespace": "x"}]
    first, second = server.asked
    for one in (first, second):
        assert one.target == f"/model/{CLAUDE}/invoke-with-response-stream"
        assert_signed(one, f"127.0.0.1:{server.port}")
    body = first.json
    assert isinstance(body, dict)
    assert body["anthropic_version"] == "bedrock-2023-05-31"
    assert not {"model", "stream"} & body.keys()
    assert b'"signature":"c2lnMQ=="' in second.body
    assert first.body.count(b"cache_control") == 3


@pytest.mark.parametrize("model", [CLAUDE, NOVA])
async def test_bedrock_is_not_shown_the_tools_of_anthropics_servers(model: str) -> None:
    hi = converse(*converse_text(0, "Hi"))
    reply = Reply(claude_frames(*claude.SAID_HI), content_type=EVENT_STREAM) if model == CLAUDE else hi
    async with asked(bedrock, reply, model=model) as (llm, server):
        answer = await answer_of(llm, request().model_copy(update={"native_tools": NATIVE_TOOLS}))
    assert (answer.text, answer.native_left_out) == ("Hi", NATIVE_TOOLS)
    assert b"search" not in server.asked[0].body


async def test_a_deployment_of_azure_is_not_asked_to_search_whatever_it_is_called() -> None:
    async with asked(azure_llm, completions.HI, model="our-search-api") as (llm, server):
        answer = await answer_of(llm, request().model_copy(update={"native_tools": NATIVE_TOOLS}))
    assert answer.native_left_out == NATIVE_TOOLS
    assert b"web_search" not in server.asked[0].body


@pytest.mark.parametrize("model", ["arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc", NOVA])
async def test_an_address_with_odd_signs_is_signed_as_it_is_sent(model: str) -> None:
    async with asked(bedrock, converse(*converse_text(0, "Hi")), model=model) as (llm, server):
        assert (await answer_of(llm, request())).text == "Hi"
    assert_signed(server.asked[0], f"127.0.0.1:{server.port}")


async def test_the_base_model_of_a_profile_says_how_it_is_asked() -> None:
    def profile(settings: ModelSettings) -> Llm:
        return bedrock_llm(on_cloud(settings, region=REGION, base_model=CLAUDE))

    reply = Reply(claude_frames(claude.start(), *claude.text(0, "Hi"), *claude.stop("end_turn")))
    async with asked(profile, reply, model="arn:aws:bedrock:r:1:application-inference-profile/abc") as (llm, server):
        assert (await answer_of(llm, request())).text == "Hi"
    assert server.asked[0].target.endswith("%2Fabc/invoke-with-response-stream")


async def test_other_models_of_bedrock_are_asked_by_converse() -> None:
    thought: list[tuple[str, JsonValue]] = [
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Which pod?"}}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "c2ln"}}}),
    ]
    counted: JsonValue = {"inputTokens": 100, "outputTokens": 120, "cacheReadInputTokens": 1000}
    counted = {**counted, "cacheWriteInputTokens": 200} if isinstance(counted, dict) else counted
    calls = converse(
        *thought,
        *converse_text(1, "I ", "look."),
        *converse_call(2, "kubernetes__pods", '{"namespace"', ': "shop"}'),
        *converse_call(3, "kubernetes__pods", '{"namespace": "x"}'),
        reason="tool_use",
        usage=counted,
    )
    async with asked(bedrock, calls, converse(*converse_text(0, "Hi")), model=NOVA, thinking="low") as (llm, server):
        deltas, answer = await parts_of(llm, request())
        said = through_the_log(two_calls(answer))
        await answer_of(llm, request(UserMessage(content="Why?"), said, *RESULTS))
    assert (words(deltas, "thinking"), answer.text, answer.thinking) == ("Which pod?", "I look.", "Which pod?")
    assert [call.arguments for call in answer.tool_calls] == [{"namespace": "shop"}, {"namespace": "x"}]
    assert answer.usage == Usage(
        input_tokens=1_300, output_tokens=120, cached_input_tokens=1_000, cache_written_tokens=200
    )
    body = server.asked[1].json
    assert isinstance(body, dict)
    point: JsonValue = {"cachePoint": {"type": "default"}}
    assert body["system"] == [{"text": "Be brief."}, point]
    assert body["additionalModelRequestFields"] == {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}}
    assert body["messages"] == [
        {"role": "user", "content": [{"text": "Why?"}, point]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Which pod?", "signature": "c2ln"}}},
                {"text": "I look."},
                {"toolUse": {"toolUseId": "call-1", "name": "kubernetes__pods", "input": {"namespace": "shop"}}},
                {"toolUse": {"toolUseId": "call-2", "name": "kubernetes__pods", "input": {"namespace": "x"}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "call-1",
                        "content": [{"text": "checkout-1 OOMKilled"}],
                        "status": "success",
                    }
                },
                {
                    "toolResult": {
                        "toolUseId": "call-2",
                        "content": [{"text": "no such namespace"}],
                        "status": "error",
                    }
                },
                point,
            ],
        },
    ]
    tool = body["toolConfig"]
    assert '"json"' in json.dumps(tool)
    assert "cachePoint" not in json.dumps(tool)
    assert "inferenceConfig" not in body


async def test_models_that_cache_nothing_get_no_cache_points() -> None:
    async with asked(bedrock, converse(*converse_text(0, "Hi")), model="meta.llama4-maverick-v1:0") as (llm, server):
        await answer_of(llm, request())
    assert b"cachePoint" not in server.asked[0].body


async def test_bedrock_is_asked_with_an_api_key() -> None:
    def keyed(settings: ModelSettings) -> Llm:
        return bedrock_llm(replace(settings, cloud={"region": REGION}))

    async with asked(keyed, converse(*converse_text(0, "Hi")), model=NOVA) as (llm, server):
        await answer_of(llm, request())
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


async def test_without_credentials_of_aws_nothing_is_asked() -> None:
    with clean_environment():
        async with asked(bedrock, model=NOVA) as (llm, server):
            error = await failure_of(llm, request())
    assert (error.kind, server.asked) == ("credentials", [])
    assert "neither environment, profile, web identity, container nor instance has any" in str(error)


async def test_web_identity_of_a_pod_is_exchanged_for_keys(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("eyJ.planted.identity")
    credentials = (
        "<AssumeRoleWithWebIdentityResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'>"
        "<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIAPOD</AccessKeyId>"
        "<SecretAccessKey>of-the-pod</SecretAccessKey><SessionToken>session</SessionToken>"
        "<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
        "</AssumeRoleWithWebIdentityResponse>"
    )
    async with ProviderServer([Reply([credentials.encode()], content_type="text/xml")]).running() as sts:
        with clean_environment(
            AWS_WEB_IDENTITY_TOKEN_FILE=str(tmp_path / "token"),
            AWS_ROLE_ARN="arn:aws:iam::123456789012:role/tarsy",
            AWS_ENDPOINT_URL_STS=sts.url,
        ):
            async with asked(bedrock, converse(*converse_text(0, "Hi")), model=NOVA) as (llm, server):
                assert (await answer_of(llm, request())).text == "Hi"
    assert b"AssumeRoleWithWebIdentity" in sts.asked[0].body
    assert server.asked[0].headers["x-amz-security-token"] == "session"
    assert_signed(server.asked[0], f"127.0.0.1:{server.port}", "ASIAPOD", "of-the-pod")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("throttlingException", "rate_limited"),
        ("validationException", "invalid_request"),
        ("modelStreamErrorException", "cut_off"),
        ("internalServerException", "cut_off"),
        ("whatTheyWillThinkOf", "cut_off"),
    ],
)
@pytest.mark.parametrize("model", [CLAUDE, NOVA])
async def test_an_exception_within_an_answer_is_told(model: str, kind: str, expected: str) -> None:
    begun = (
        claude_frames(claude.start(), *claude.text(0, "Hi"))
        if model == CLAUDE
        else converse_frames(("messageStart", {"role": "assistant"}), *converse_text(0, "Hi"))
    )
    async with asked(bedrock, Reply([*begun, exception(kind, "it said no")]), model=model) as (llm, _):
        error = await failure_of(llm, request())
    assert (error.kind, str(error)) == (expected, "Amazon Bedrock sent an error in its answer: it said no")


@pytest.mark.parametrize("model", [CLAUDE, NOVA])
async def test_a_broken_stream_of_bedrock_is_cut_off(model: str) -> None:
    hi = (
        claude_frames(claude.start(), *claude.text(0, "Hi"))
        if model == CLAUDE
        else converse_frames(("messageStart", {"role": "assistant"}), *converse_text(0, "Hi"))
    )
    damaged = hi[-1][:-1] + bytes([hi[-1][-1] ^ 1])
    ends = [Reply([*hi, Cut()]), Reply(hi), Reply([*hi, hi[0][:20]]), Reply([*hi, damaged])]
    async with asked(bedrock, *ends, Reply([b"<html>no such place</html>" * 9]), model=model) as (llm, _):
        for _ in ends:
            assert (await failure_of(llm, request())).kind == "cut_off"
        assert (await failure_of(llm, request())).kind == "provider_error"


async def test_who_stops_listening_to_a_cloud_hangs_up_at_once() -> None:
    begun = converse_frames(("messageStart", {"role": "assistant"}), *converse_text(0, "Hi"))
    async with asked(bedrock, Reply([*begun, Silence()]), model=NOVA) as (llm, server), asyncio.timeout(90):
        async with aclosing(llm.stream(request())) as stream:
            async for part in stream:
                if isinstance(part, Delta) and part.text:
                    break
        await server.left.wait()


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request"),
        (403, "credentials"),
        (424, "provider_error"),
        (429, "rate_limited"),
        (503, "provider_error"),
    ],
)
async def test_a_status_of_bedrock_becomes_the_kind_of_failure_that_it_is(status: int, kind: str) -> None:
    said = Reply([b'{"message": "it said no"}'], status, "application/json")
    async with asked(bedrock, said, model=NOVA) as (llm, _):
        error = await failure_of(llm, request())
    assert (error.kind, str(error)) == (kind, f"Amazon Bedrock answered {status}: it said no")


# Every credential


async def test_a_token_server_that_hangs_holds_no_call_for_longer_than_the_limit() -> None:
    async with ProviderServer([Reply([Silence()])]).running() as hanging:
        released = asyncio.Event()
        loop = asyncio.get_running_loop()

        def fetch() -> Lease[str]:
            import http.client

            connection = http.client.HTTPConnection("127.0.0.1", hanging.port, timeout=90)
            try:
                connection.request("GET", "/")
                connection.getresponse().read()
            finally:
                connection.close()
                loop.call_soon_threadsafe(released.set)
            return Lease("never")

        cache = CredentialCache("A Cloud", fetch, limit_seconds=0.2)
        for _ in range(3):
            with pytest.raises(LlmCallError, match=r"A Cloud gave no credentials within 0\.2 seconds") as caught:
                await cache.current()
            assert caught.value.kind == "provider_error"
        # All of them wait for the same fetch.
        assert len(hanging.asked) <= 1
    async with asyncio.timeout(90):
        await released.wait()


class Clock:
    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def renewable(clock: Clock, *outcomes: Lease[str] | LlmCallError) -> tuple[CredentialCache[str], Callable[[], int]]:
    left = list(outcomes)

    def fetch() -> Lease[str]:
        outcome = left.pop(0)
        if isinstance(outcome, LlmCallError):
            raise outcome
        return outcome

    return CredentialCache("A Cloud", fetch, now=clock), lambda: len(outcomes) - len(left)


async def until_renewed(cache: CredentialCache[str], value: str) -> None:
    async with asyncio.timeout(90):
        while await cache.current() != value:  # noqa: ASYNC110 - a thread of its own renews it
            await asyncio.sleep(0.01)


async def test_a_credential_is_renewed_before_its_end_while_calls_go_on() -> None:
    clock = Clock()
    cache, _ = renewable(clock, Lease("first", 1_600.0), Lease("second", 5_000.0))
    assert await cache.current() == "first"
    clock.seconds = 1_400.0
    assert await cache.current() == "first"
    await until_renewed(cache, "second")


async def test_a_renewal_that_fails_costs_nothing_while_the_credential_is_good() -> None:
    clock = Clock()
    failure = LlmCallError("no", kind="provider_error")
    cache, fetched = renewable(clock, Lease("first", 1_600.0), failure, Lease("second", 5_000.0))
    assert await cache.current() == "first"
    clock.seconds = 1_400.0
    for _ in range(5):
        assert await cache.current() == "first"
        await asyncio.sleep(0.02)
    assert fetched() <= 2
    clock.seconds = 1_595.0
    await until_renewed(cache, "second")


async def test_an_expired_credential_is_never_sent() -> None:
    clock = Clock()
    cache, _ = renewable(clock, Lease("first", 1_600.0), Lease("second", 5_000.0))
    assert await cache.current() == "first"
    clock.seconds = 1_600.0
    assert await cache.current() == "second"


def test_no_repr_shows_a_credential() -> None:
    settings = ModelSettings(model="m", api_key=SecretStr("planted"), cloud={"credentials": "planted"})
    assert "planted" not in f"{settings}{Lease('planted')}"


def test_who_asks_no_cloud_imports_nothing_of_it() -> None:
    names = "botocore", "azure", "msal", "google", "anthropic", "aiohttp"
    program = f"import sys, tarsy_llm.providers; print([name for name in {names} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_each_cloud_is_a_type_of_the_configuration() -> None:
    assert {"azure", "bedrock", "vertexai"} <= PROVIDER_TYPES.keys()
    for kind in PROVIDER_TYPES.values():
        assert set(kind.required) <= {*kind.options, "base_url"}
