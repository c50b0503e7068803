"""Amazon Bedrock: Claude in its own dialect, all other models by Converse.

docs.aws.amazon.com/bedrock/latest/APIReference (InvokeModelWithResponseStream, ConverseStream)
"""

from dataclasses import replace
from functools import partial
from urllib.parse import quote

from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.clouds.cloud_server import CloudServer
from tarsy_llm.clouds.converse import to_anthropic_event, to_converse
from tarsy_llm.clouds.event_stream import claude_event, decode_event_stream
from tarsy_llm.credentials.aws import aws_permits
from tarsy_llm.credentials.permits import AskPermit, HeaderPermit, Permit
from tarsy_llm.credentials.renewal import RenewingLlm
from tarsy_llm.http.endpoint import Body
from tarsy_llm.keys import api_key
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import ProviderType, remote

NAME = "Amazon Bedrock"
ANTHROPIC_VERSION = "bedrock-2023-05-31"


def bedrock_llm(settings: ModelSettings) -> Llm:
    if settings.api_key is not None:

        async def keyed() -> Permit:
            key = api_key(settings, NAME, "AWS_BEARER_TOKEN_BEDROCK")
            return HeaderPermit(key, key)

        return _llm(settings, keyed)
    cloud = settings.cloud
    permits = aws_permits(cloud.get("region", ""), cloud.get("profile", ""), cloud.get("role_arn", ""))
    return RenewingLlm(_llm(settings, permits.current), permits)


def _llm(settings: ModelSettings, permit: AskPermit) -> AnthropicLlm:
    """The ARN of an inference profile does not say which model it stands for: `base_model` does."""
    known = replace(settings, model=settings.cloud.get("base_model") or settings.model)
    if "anthropic.claude" in known.model:
        address = model_address(settings, "invoke-with-response-stream")
        decode = partial(decode_event_stream, read=claude_event)
        return AnthropicLlm(known, CloudServer(NAME, address, permit, _wrapped, decode))
    address = model_address(settings, "converse-stream")
    decode = partial(decode_event_stream, read=to_anthropic_event)
    return AnthropicLlm(known, CloudServer(NAME, address, permit, partial(to_converse, known), decode))


def model_address(settings: ModelSettings, operation: str) -> str:
    region = settings.cloud.get("region", "")
    host = settings.base_url or f"https://bedrock-runtime.{region}.amazonaws.com"
    return f"{host.rstrip('/')}/model/{quote(settings.model, safe=':')}/{operation}"


def _wrapped(body: Body) -> Body:
    """Without the model and `stream`: both stand in the address."""
    kept = {key: value for key, value in body.items() if key not in ("model", "stream")}
    return {"anthropic_version": ANTHROPIC_VERSION, **kept}


PROVIDER = ProviderType(
    remote(bedrock_llm),
    ("AWS_BEARER_TOKEN_BEDROCK",),
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "aws.bedrock",
    options={
        "region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
        "profile": ("AWS_PROFILE",),
        "role_arn": (),
        "base_model": (),
    },
    required=("region",),
)
