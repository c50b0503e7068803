"""Tokens of Google Cloud, by google-auth: a file of credentials, workload identity, or those of the surroundings."""

import json
from calendar import timegm
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tarsy_llm.credentials.cache import CredentialCache, Lease
from tarsy_llm.credentials.refusals import no_credentials, token_server_failed

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

CLOUD = "Google Cloud"
SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
REQUEST_SECONDS = 10.0


def google_tokens(credentials: str) -> CredentialCache[str]:
    """`credentials`: the path of a file, or what such a file has; empty for application default credentials."""
    return CredentialCache(CLOUD, partial(_fetch, credentials))


def _fetch(given: str) -> Lease[str]:
    """Reads the file each time: it may have been replaced. Raises LlmCallError."""
    import google.auth
    from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
    from google.auth.transport.requests import Request
    from requests import Session

    try:
        credentials = _load(given) if given else google.auth.default(scopes=SCOPES)[0]
        with Session() as session:
            request = partial(Request(session), timeout=REQUEST_SECONDS)
            credentials.refresh(request)  # type: ignore[no-untyped-call]
    except TransportError as problem:
        raise token_server_failed(CLOUD, problem) from None
    except RefreshError as problem:
        refused = token_server_failed if problem.retryable else no_credentials
        raise refused(CLOUD, problem.args[0] if problem.args else problem) from None
    except GoogleAuthError as problem:
        raise no_credentials(CLOUD, problem) from None
    except (ValueError, OSError) as problem:
        # A file that is none: what stands in it is not told.
        raise no_credentials(CLOUD, f"its file of credentials cannot be read ({type(problem).__name__})") from None
    ends = credentials.expiry
    return Lease(str(credentials.token), None if ends is None else float(timegm(ends.utctimetuple())))


def _load(given: str) -> "Credentials":
    """By the type that the file says: google-auth's own choice among all of them would also run programs."""
    from google.auth import aws, identity_pool
    from google.oauth2 import credentials, service_account

    text = given if given.lstrip().startswith("{") else Path(given).read_text("utf-8")
    info = json.loads(text)
    match info:
        case {"type": "service_account"}:
            made = service_account.Credentials.from_service_account_info(info, scopes=SCOPES)  # type: ignore[no-untyped-call]
        case {"type": "external_account", "credential_source": {"environment_id": _}}:
            made = aws.Credentials.from_info(info, scopes=SCOPES)  # type: ignore[no-untyped-call]
        case {"type": "external_account"}:
            made = identity_pool.Credentials.from_info(info, scopes=SCOPES)  # type: ignore[no-untyped-call]
        case {"type": "authorized_user"}:
            made = credentials.Credentials.from_authorized_user_info(info, scopes=SCOPES)  # type: ignore[no-untyped-call]
        case _:
            raise ValueError("its type is not known")
    return cast("Credentials", made)
