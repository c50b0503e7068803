"""Login of a person in a browser: OpenID Connect, authorization code flow with PKCE."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, cast

import jwt

from tarsy_auth.api_keys import RandomBytes
from tarsy_auth.auth_config import LoginSettings
from tarsy_auth.claims import Claims
from tarsy_auth.errors import AuthError
from tarsy_auth.http_fetch import FetchFailedError
from tarsy_auth.identity import Authenticate, Identity, Refusal
from tarsy_auth.login_attempt import LoginAttempt, authorization_address, new_attempt
from tarsy_auth.refusals import WITHOUT_ROLE
from tarsy_auth.renewals import Renewals
from tarsy_auth.sealed_refresh import RefreshSeal, RefreshToken
from tarsy_auth.token_exchange import (
    NoIdTokenError,
    Post,
    ProviderTokens,
    TokenRequest,
    error_code,
    refresh_request,
    revocation_request,
    token_request,
    tokens_in,
)

MOST_EXCHANGES = 50
"""Exchanges at one time: a stranger who made up a callback must not make us flood the provider."""

type LoginFailure = Literal["attempt", "denied", "provider", "rejected", "without_role", "unavailable", "ended"]
"""attempt: the callback is not that of a login which began in this browser; denied: by the provider; provider: it gave
no ID token; rejected: its token is not accepted; unavailable: it cannot be asked now; ended: it renews the login
no more."""

SENTENCES: Mapping[LoginFailure, str] = {
    "attempt": "This login did not begin in this browser, took more than ten minutes, or was ended before.",
    "denied": "The provider did not let you in.",
    "provider": "The provider did not end the login as it has to. The log of TARSy names its error.",
    "rejected": "The provider logged you in, but its token is not accepted here.",
    "without_role": "The provider logged you in, but nothing in its token gives you a role here.",
    "unavailable": "The provider cannot be asked now.",
    "ended": "Your login has ended at the provider. Log in again.",
}
DENIED = frozenset({"access_denied", "login_required", "consent_required", "interaction_required"})
"""Error codes that say something about the person, not about how things are set up."""


class LoginFailedError(AuthError):
    """Nobody is logged in: the caller tries again, the operator reads `detail` in the log (it holds no secrets)."""

    def __init__(self, failure: LoginFailure, detail: str = "") -> None:
        super().__init__(SENTENCES[failure])
        self.failure = failure
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Callback:
    """Parameters with which the provider sent the browser back; empty where it said nothing."""

    state: str = field(default="", repr=False)
    code: str = field(default="", repr=False)
    error: str = ""
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """`token` is the ID token: the credential from now on. `refresh`, sealed, renews the login; None where it ends with
    the token."""

    identity: Identity
    token: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)


class Login:
    """Logins of one client at the provider. It keeps nothing between the beginning of an attempt and its end."""

    def __init__(
        self,
        settings: LoginSettings,
        issuer: str,
        authenticate: Authenticate,
        post: Post,
        random_bytes: RandomBytes,
        monotonic: Callable[[], float],
    ) -> None:
        """`authenticate` checks tokens of the issuer; `post` as `http_post()`, `random_bytes` as `token_bytes`."""
        self.settings = settings
        self._issuer = issuer
        self._authenticate = authenticate
        self._post = post
        self._random_bytes = random_bytes
        self._exchanges = 0
        self._renewals: Renewals[LoggedIn] = Renewals(monotonic)
        self._seal = _make_seal(settings, issuer, random_bytes)

    def begin(self, wanted: str) -> tuple[LoginAttempt, str]:
        """The attempt, which the browser keeps, and the address at the provider to go to. `wanted`: where it ends."""
        attempt = new_attempt(wanted, self._random_bytes)
        return attempt, authorization_address(self.settings, attempt)

    async def finish(self, attempt: LoginAttempt, callback: Callback) -> LoggedIn:
        """Raises LoginFailedError."""
        code = self._code_of(attempt, callback)
        tokens = await self._exchange_tokens(token_request(self.settings, code, attempt.verifier))
        identity, claims = await self._verify_identity(tokens)
        if claims.get("nonce") != attempt.nonce:
            raise LoginFailedError("rejected", "nonce")
        return LoggedIn(identity, tokens.id_token, self._seal_refresh_token(claims, tokens.refresh_token))

    async def renew(self, sealed: str) -> LoggedIn:
        """The person's name and rights are judged anew. Raises LoginFailedError."""
        refresh = None if self._seal is None else self._seal.open(sealed)
        if refresh is None:
            raise LoginFailedError("ended", "no refresh token of ours")
        return await self._renewals.once(refresh.token, partial(self._renew_login, refresh))

    async def _renew_login(self, refresh: RefreshToken) -> LoggedIn:
        tokens = await self._exchange_tokens(refresh_request(self.settings, refresh.token))
        identity, claims = await self._verify_identity(tokens)
        if claims.get("sub") != refresh.subject:
            raise LoginFailedError("rejected", "another person")
        # A provider that does not rotate them gives none.
        return LoggedIn(
            identity, tokens.id_token, self._seal_refresh_token(claims, tokens.refresh_token or refresh.token)
        )

    async def who(self, token: str) -> Identity | None:
        """The owner of an ID token; None of one that does not count."""
        found = await self._authenticate(f"Bearer {token}")
        return None if isinstance(found, Refusal) else found

    async def revoke(self, sealed: str) -> None:
        """At the provider, where it can be done. Raises LoginFailedError."""
        refresh = None if self._seal is None else self._seal.open(sealed)
        endpoint = self.settings.revocation_endpoint
        if refresh is None or endpoint is None:
            return
        try:
            answer = await self._post(revocation_request(self.settings, endpoint, refresh.token))
        except FetchFailedError as problem:
            raise LoginFailedError("unavailable", str(problem)) from None
        if not answer.granted:
            raise LoginFailedError("provider", "the refresh token was not revoked")

    async def _verify_identity(self, tokens: ProviderTokens) -> tuple[Identity, Claims]:
        """Raises LoginFailedError."""
        found = await self._authenticate(f"Bearer {tokens.id_token}")
        if isinstance(found, Refusal):
            raise _refusal_error(found)
        claims = _claims_of(tokens.id_token) if found.door == "token" else {}
        audience = claims.get("aud")
        # The authenticator knows API keys, too: the provider must not hand one out.
        if self.settings.client_id not in (audience if isinstance(audience, list) else [audience]):
            raise LoginFailedError("rejected", "audience")
        return found, claims

    def _seal_refresh_token(self, claims: Claims, refresh_token: str | None) -> str | None:
        subject = claims.get("sub")
        if self._seal is None or refresh_token is None or not isinstance(subject, str):
            return None
        return self._seal.seal(RefreshToken(subject, refresh_token))

    def _code_of(self, attempt: LoginAttempt, callback: Callback) -> str:
        """Raises LoginFailedError. State comes first: nothing else of a callback is believed without it."""
        if not hmac.compare_digest(callback.state.encode(), attempt.state.encode()):
            raise LoginFailedError("attempt")
        if callback.issuer not in ("", self._issuer):
            raise LoginFailedError("provider", "another issuer")
        if callback.error:
            code = error_code(callback.error)
            raise LoginFailedError("denied" if code in DENIED else "provider", code)
        if not callback.code:
            raise LoginFailedError("provider", "no code")
        return callback.code

    async def _exchange_tokens(self, request: TokenRequest) -> ProviderTokens:
        """Raises LoginFailedError."""
        if self._exchanges >= MOST_EXCHANGES:
            raise LoginFailedError("unavailable", "too many logins at once")
        self._exchanges += 1
        try:
            return tokens_in(await self._post(request))
        except NoIdTokenError as problem:
            is_over = problem.code == "invalid_grant" and "refresh_token" in request.form
            raise LoginFailedError("ended" if is_over else "provider", problem.code) from None
        except FetchFailedError as problem:
            raise LoginFailedError("unavailable", str(problem)) from None
        finally:
            self._exchanges -= 1


def _make_seal(settings: LoginSettings, issuer: str, random_bytes: RandomBytes) -> RefreshSeal | None:
    if settings.refresh_key is None:
        return None
    return RefreshSeal(settings.refresh_key.get_secret_value(), issuer, settings.client_id, random_bytes)


def _claims_of(token: str) -> Claims:
    """Claims of a token whose signature was checked a moment ago."""
    return cast("Claims", jwt.decode(token, options={"verify_signature": False}))


def _refusal_error(refusal: Refusal) -> LoginFailedError:
    if refusal.reason == "unavailable":
        return LoginFailedError("unavailable", "its keys cannot be read")
    return LoginFailedError("without_role" if refusal == WITHOUT_ROLE else "rejected", refusal.reason)
