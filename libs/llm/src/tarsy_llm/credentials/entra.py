"""Tokens of Entra ID, by azure-identity: workload identity, a client's secret or certificate, managed identity."""

import os
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tarsy_llm.credentials.cache import CredentialCache, Lease
from tarsy_llm.credentials.refusals import no_credentials, token_server_failed

if TYPE_CHECKING:
    from azure.identity import (
        DefaultAzureCredential,
        EnvironmentCredential,
        ManagedIdentityCredential,
        WorkloadIdentityCredential,
    )

    type ClosingCredential = (
        DefaultAzureCredential | EnvironmentCredential | ManagedIdentityCredential | WorkloadIdentityCredential
    )

CLOUD = "Entra ID"
SCOPE = "https://cognitiveservices.azure.com/.default"
CONNECT_SECONDS = 5
READ_SECONDS = 10


def entra_tokens() -> CredentialCache[str]:
    return CredentialCache(CLOUD, _fetch)


def _fetch() -> Lease[str]:
    """Raises LlmCallError."""
    from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError

    try:
        with closing(_credential(os.environ)) as credential:
            token = credential.get_token(SCOPE)
    except ClientAuthenticationError as problem:
        raise no_credentials(CLOUD, problem.message) from None
    except HttpResponseError as problem:
        failed = token_server_failed if (problem.status_code or 500) >= 500 else no_credentials
        raise failed(CLOUD, problem.message) from None
    except AzureError as problem:
        raise token_server_failed(CLOUD, problem.message) from None
    except (ValueError, OSError) as problem:
        raise no_credentials(CLOUD, problem) from None
    return Lease(token.token, float(token.expires_on))


def _credential(environ: Mapping[str, str]) -> "ClosingCredential":
    """The source that the environment names, alone: in a chain its reason would be lost among those of others."""
    from azure.identity import (
        DefaultAzureCredential,
        EnvironmentCredential,
        ManagedIdentityCredential,
        WorkloadIdentityCredential,
    )

    # A host of its own may be in a cloud that does not see the public one.
    limits: dict[str, Any] = {"connection_timeout": CONNECT_SECONDS, "read_timeout": READ_SECONDS, "retry_total": 1}
    own_host: dict[str, Any] = {"disable_instance_discovery": True} if environ.get("AZURE_AUTHORITY_HOST") else {}
    if environ.get("AZURE_FEDERATED_TOKEN_FILE"):
        return WorkloadIdentityCredential(**own_host, **limits)
    if environ.get("AZURE_CLIENT_SECRET") or environ.get("AZURE_CLIENT_CERTIFICATE_PATH"):
        return EnvironmentCredential(**own_host, **limits)
    if environ.get("IDENTITY_ENDPOINT"):
        return ManagedIdentityCredential(client_id=environ.get("AZURE_CLIENT_ID"), **limits)
    return DefaultAzureCredential(
        exclude_environment_credential=True,
        exclude_workload_identity_credential=True,
        exclude_powershell_credential=True,
        exclude_shared_token_cache_credential=True,
        exclude_visual_studio_code_credential=True,
        process_timeout=READ_SECONDS,
        **limits,
    )
