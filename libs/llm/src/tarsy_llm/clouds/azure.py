"""Azure OpenAI: OpenAI's dialect; `model` is a deployment, the credential a key or a token of Entra ID.

learn.microsoft.com/azure/ai-foundry/openai/reference
"""

from urllib.parse import quote, urlsplit

from tarsy_llm.credentials.entra import entra_tokens
from tarsy_llm.credentials.permits import HeaderPermit, Permit
from tarsy_llm.credentials.renewal import RenewingLlm
from tarsy_llm.keys import api_key
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.openai.adapter import CompletionsServer, OpenAiLlm
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import ProviderType, remote

NAME = "Azure OpenAI"


def azure_llm(settings: ModelSettings) -> Llm:
    address = completions_address(settings)
    if settings.api_key is not None:

        async def keyed() -> Permit:
            key = api_key(settings, NAME, "AZURE_OPENAI_API_KEY")
            return HeaderPermit(key, key, header="api-key", prefix="")

        return OpenAiLlm(settings, CompletionsServer(NAME, address, keyed))
    tokens = entra_tokens()

    async def permit() -> Permit:
        token = await tokens.current()
        return HeaderPermit(token, token)

    return RenewingLlm(OpenAiLlm(settings, CompletionsServer(NAME, address, permit)), tokens)


def completions_address(settings: ModelSettings) -> str:
    """The v1 API, or with `api_version` the one by deployments. `base_url` may go on behind the resource."""
    parts = urlsplit(settings.base_url or "")
    resource = f"{parts.scheme}://{parts.netloc}{parts.path.partition('/openai')[0].rstrip('/')}"
    version = settings.cloud.get("api_version")
    if not version:
        return f"{resource}/openai/v1/chat/completions"
    deployment = quote(settings.model, safe="")
    return f"{resource}/openai/deployments/{deployment}/chat/completions?api-version={quote(version)}"


PROVIDER = ProviderType(
    remote(azure_llm),
    ("AZURE_OPENAI_API_KEY",),
    "AZURE_OPENAI_ENDPOINT",
    "azure.ai.openai",
    options={"api_version": ("OPENAI_API_VERSION",)},
    required=("base_url",),
)
