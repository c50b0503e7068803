"""Keys of AWS, by botocore: environment, profile, role, web identity (IRSA), container, instance; and SigV4."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tarsy_llm.credentials.cache import CredentialCache, Lease
from tarsy_llm.credentials.refusals import no_credentials, token_server_failed

if TYPE_CHECKING:
    from botocore.credentials import Credentials
    from botocore.session import Session

CLOUD = "AWS"
SERVICE = "bedrock"
LEASE_SECONDS = 600.0
"""Shorter than what is left of keys that botocore hands out: it renews them ten minutes before they end."""
NONE_FOUND = "neither environment, profile, web identity, container nor instance has any"


@dataclass(frozen=True, slots=True)
class AwsPermit:
    """Signs requests to one region."""

    region: str
    access_key: str
    secret_key: str = field(repr=False)
    secret: str | None = field(repr=False)

    def headers(self, address: str, sent: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        request = AWSRequest("POST", address, headers=dict(sent), data=body)
        SigV4Auth(Credentials(self.access_key, self.secret_key, self.secret), SERVICE, self.region).add_auth(request)
        return {str(name).lower(): str(value) for name, value in request.headers.items()}


def aws_permits(region: str, profile: str, role: str) -> CredentialCache[AwsPermit]:
    """`role`: the ARN of one to take on with the keys that are found; empty for none. So is `profile`."""
    return CredentialCache(CLOUD, _Source(region, profile, role).fetch)


class _Source:
    """Keeps what botocore renews by itself. All else is looked for again, as a file may have been replaced."""

    def __init__(self, region: str, profile: str, role: str) -> None:
        self._region, self._profile, self._role = region, profile, role
        self._kept: Credentials | None = None

    def fetch(self) -> Lease[AwsPermit]:
        """Raises LlmCallError."""
        from botocore.credentials import RefreshableCredentials
        from botocore.exceptions import (
            BotoCoreError,
            ClientError,
            CredentialRetrievalError,
            HTTPClientError,
            MetadataRetrievalError,
        )

        try:
            found = self._kept or self._find()
            keys = found.get_frozen_credentials()
        except (HTTPClientError, MetadataRetrievalError, CredentialRetrievalError) as problem:
            raise token_server_failed(CLOUD, problem) from None
        except ClientError as problem:
            status = problem.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
            raise (token_server_failed if status >= 500 or status == 429 else no_credentials)(CLOUD, problem) from None
        except (BotoCoreError, OSError, ValueError) as problem:
            raise no_credentials(CLOUD, problem) from None
        self._kept = found if isinstance(found, RefreshableCredentials) else None
        permit = AwsPermit(self._region, keys.access_key, keys.secret_key, keys.token)
        return Lease(permit, time.time() + LEASE_SECONDS)

    def _find(self) -> "Credentials":
        from botocore.config import Config
        from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials
        from botocore.session import Session

        session = Session(profile=self._profile or None)
        session.set_config_variable("region", self._region)
        limits = Config(connect_timeout=5, read_timeout=10, retries={"total_max_attempts": 2})
        session.set_default_client_config(limits)
        found = session.get_credentials()
        if found is None:
            raise no_credentials(CLOUD, NONE_FOUND)
        if not self._role:
            return found
        taken = AssumeRoleCredentialFetcher(
            client_creator=_clients(session, self._region),
            source_credentials=found,
            role_arn=self._role,
            extra_args={"RoleSessionName": "tarsy"},
        )
        return DeferredRefreshableCredentials(method="assume-role", refresh_using=taken.fetch_credentials)


def _clients(session: "Session", region: str):  # type: ignore[no-untyped-def]
    def create(service: str, **given: object) -> object:
        return session.create_client(service, **{"region_name": region, **given})

    return create
