"""Login of a person in a browser: OpenID Connect, authorization code flow with PKCE."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
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
from tarsy_auth.token_exchange import NoIdTokenError, Post, error_code, id_token_in, token_request

MOST_EXCHANGES = 50
"""Exchanges at one time: a stranger who made up a callback must not make us flood the provider."""

type LoginFailure = Literal["attempt", "denied", "provider", "rejected", "without_role", "unavailable"]
"""attempt: the callback is not that of a login which began in this browser; denied: by the provider; provider: it gave
no ID token; rejected: its token is not accepted; unavailable: it cannot be asked now."""

SENTENCES: Mapping[LoginFailure, str] = {
    "attempt": "This login did not begin in this browser, took more than ten minutes, or was ended before.",
    "denied": "The provider did not let you in.",
    "provider": "The provider did not end the login as it has to. The log of TARSy names its error.",
    "rejected": "The provider logged you in, but its token is not accepted here.",
    "without_role": "The provider logged you in, but nothing in its token gives you a role here.",
    "unavailable": "The provider cannot be asked now.",
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
    """`token` is the ID token: the credential from now on."""

    identity: Identity
    token: str = field(repr=False)


class Login:
    """Logins of one client at the provider. It keeps nothing between the beginning of an attempt and its end."""

    def __init__(
        self, settings: LoginSettings, issuer: str, authenticate: Authenticate, post: Post, random_bytes: RandomBytes
    ) -> None:
        """`authenticate` checks tokens of the issuer; `post` as `http_post()`, `random_bytes` as `token_bytes`."""
        self.settings = settings
        self._issuer = issuer
        self._authenticate = authenticate
        self._post = post
        self._random_bytes = random_bytes
        self._exchanges = 0

    def begin(self, wanted: str) -> tuple[LoginAttempt, str]:
        """The attempt, which the browser keeps, and the address at the provider to go to. `wanted`: where it ends."""
        attempt = new_attempt(wanted, self._random_bytes)
        return attempt, authorization_address(self.settings, attempt)

    async def finish(self, attempt: LoginAttempt, callback: Callback) -> LoggedIn:
        """Raises LoginFailedError."""
        code = self._code_of(attempt, callback)
        token = await self._exchange(code, attempt.verifier)
        found = await self._authenticate(f"Bearer {token}")
        if isinstance(found, Refusal):
            raise _refused(found)
        # The authenticator knows API keys, too: the provider must not hand one out.
        if found.door != "token" or not self._is_ours(token, attempt):
            raise LoginFailedError("rejected", "nonce or audience")
        return LoggedIn(found, token)

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

    async def _exchange(self, code: str, verifier: str) -> str:
        """Raises LoginFailedError."""
        if self._exchanges >= MOST_EXCHANGES:
            raise LoginFailedError("unavailable", "too many logins at once")
        self._exchanges += 1
        try:
            return id_token_in(await self._post(token_request(self.settings, code, verifier)))
        except NoIdTokenError as problem:
            raise LoginFailedError("provider", problem.code) from None
        except FetchFailedError as problem:
            raise LoginFailedError("unavailable", str(problem)) from None
        finally:
            self._exchanges -= 1

    def _is_ours(self, token: str, attempt: LoginAttempt) -> bool:
        """Whether it was made for this attempt of this client. Others may have tokens of the provider, too."""
        claims = _claims_of(token)
        nonce, audience = claims.get("nonce"), claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        return nonce == attempt.nonce and self.settings.client_id in audiences


def _claims_of(token: str) -> Claims:
    """Claims of a token whose signature was checked a moment ago."""
    return cast("Claims", jwt.decode(token, options={"verify_signature": False}))


def _refused(refusal: Refusal) -> LoginFailedError:
    if refusal.reason == "unavailable":
        return LoginFailedError("unavailable", "its keys cannot be read")
    return LoginFailedError("without_role" if refusal == WITHOUT_ROLE else "rejected", refusal.reason)
