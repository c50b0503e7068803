"""From the header `Authorization` to who that is."""

from tarsy_auth.api_keys import PREFIX, ApiKeys
from tarsy_auth.auth_config import AuthConfig
from tarsy_auth.identity import Authenticate, Identity, Refusal
from tarsy_auth.jwks import Fetch, Now
from tarsy_auth.refusals import MALFORMED, MISSING, UNKNOWN
from tarsy_auth.tokens import Tokens

SCHEME = "bearer"


def authenticator(config: AuthConfig, fetch: Fetch, now: Now) -> Authenticate:
    """`fetch` as `http_fetch()`, `now` as `time.time`. Nothing is fetched before the first token comes."""
    groups_of = config.visible_groups
    api_keys = ApiKeys(config.keys, groups_of)
    tokens = None if config.tokens is None else Tokens(config.tokens, fetch, now, groups_of)

    async def authenticate(header: str | None) -> Identity | Refusal:
        if header is None or not header.strip():
            return MISSING
        scheme, _, credential = header.strip().partition(" ")
        credential = credential.strip()
        if scheme.lower() != SCHEME or not credential:
            return MALFORMED
        if credential.startswith(PREFIX):
            return api_keys.identify(credential, now())
        return UNKNOWN if tokens is None else await tokens.identify(credential)

    return authenticate
