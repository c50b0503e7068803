"""An OpenID provider over real HTTP: it shows a form, checks PKCE and the client, gives each code once, signs RS256.

Its own rules are the standard's, so that a client that breaks one gets nothing. A test changes what it says.
"""

import hashlib
import json
import secrets
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from html import escape
from string import Template
from urllib.parse import parse_qsl, quote_plus, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm
from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server

HOST = "127.0.0.1"
CLIENT, SECRET = "tarsy-page", "a secret of the client, 32 bytes"
KEY_ID = "k1"
LIFE_SECONDS = 300
FORM = Template('<link rel="icon" href="data:,"><form method="post" action="$address"><button>Sign in</button></form>')
ADA: Mapping[str, JsonValue] = {"sub": "u-17", "email": "ada@example.com", "groups": ["sre"]}


@cache
def signing_key() -> RSAPrivateKey:
    return generate_private_key(65537, 2048)


@dataclass(frozen=True, slots=True)
class Grant:
    """The meaning of a code, until it is exchanged."""

    redirect_uri: str
    challenge: str
    nonce: str
    scope: str


@dataclass
class OpenIdServer:
    """`claims` are those of whoever logs in. `forged` overrides claims of the token, `refusal` is an error of the form.

    `exchanges`: the answers of the token endpoint, in order. A refresh token comes with `offline_access`;
    each is for one use, and its second use ends the login that it is of. `is_away`: it answers 503.
    `issuer` is its address, where a proxy leads to its port. `authorization` is the client's; a public one has none.
    """

    redirect_uri: str
    port: int = field(default_factory=free_port)
    issuer: str = ""
    authorization: str = field(default_factory=lambda: f"Basic {_basic()}")
    claims: dict[str, JsonValue] = field(default_factory=lambda: dict(ADA))
    forged: dict[str, JsonValue] = field(default_factory=dict)
    refusal: str = ""
    token_answer: Response | None = None
    exchanges: list[str] = field(default_factory=list)
    grants: dict[str, Grant] = field(default_factory=dict)
    is_away: bool = False
    logins: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.issuer = self.issuer or f"http://{HOST}:{self.port}"

    async def authorize(self, request: Request) -> Response:
        """The form on GET; on POST somebody has logged in."""
        asked = dict(request.query_params)
        if asked.get("client_id") != CLIENT or asked.get("redirect_uri") != self.redirect_uri:
            return HTMLResponse("unknown client or redirect_uri", 400)
        if request.method == "GET":
            return HTMLResponse(FORM.substitute(address=escape(f"?{urlencode(asked)}")))
        back = {"state": asked["state"], "iss": self.issuer, "session_state": "anything"}
        if self.refusal or not _is_proper(asked):
            error = self.refusal or "invalid_request"
            return self._back({**back, "error": error, "error_description": "<b>a text of the provider</b>"})
        code = secrets.token_urlsafe()
        self.grants[code] = Grant(asked["redirect_uri"], asked["code_challenge"], asked["nonce"], asked["scope"])
        return self._back({**back, "code": code})

    def _back(self, query: Mapping[str, str]) -> Response:
        return RedirectResponse(f"{self.redirect_uri}?{urlencode(query)}", 303)

    async def token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode(), strict_parsing=True))
        error = self._error(form, request.headers.get("authorization", ""))
        self.exchanges.append(error or "granted")
        if self.is_away:
            return Response(status_code=503)
        if self.token_answer is not None:
            return self.token_answer
        if error:
            return JSONResponse({"error": error, "error_description": "a text of the provider"}, 400)
        if "refresh_token" in form:
            self.used.add(form["refresh_token"])
            return self._tokens(self.logins[form["refresh_token"]], {})
        grant = self.grants.pop(form["code"])
        login = secrets.token_urlsafe() if "offline_access" in grant.scope.split() else ""
        return self._tokens(login, {"nonce": grant.nonce})

    def _tokens(self, login: str, claims: Mapping[str, JsonValue]) -> Response:
        tokens = {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "expires_in": LIFE_SECONDS}
        if login:
            refresh = secrets.token_urlsafe()
            self.logins[refresh] = login
            tokens["refresh_token"] = refresh
        return JSONResponse({**tokens, "id_token": self.id_token({**claims, **self.forged})})

    async def revoke(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode(), strict_parsing=True))
        self.ended.add(self.logins.get(form["token"], ""))
        return Response()

    def _error(self, form: Mapping[str, str], authorization: str) -> str:
        if self.is_away:
            return "away"
        if authorization != self.authorization:
            return "invalid_client"
        if form.get("grant_type") == "refresh_token":
            return self._refresh_error(form.get("refresh_token", ""))
        if form.get("grant_type") != "authorization_code":
            return "unsupported_grant_type"
        grant = self.grants.get(form.get("code", ""))
        if grant is None or grant.redirect_uri != form.get("redirect_uri"):
            return "invalid_grant"
        return "" if grant.challenge == s256(form.get("code_verifier", "")) else "invalid_grant"

    def _refresh_error(self, token: str) -> str:
        login = self.logins.get(token, "")
        if token in self.used:
            self.ended.add(login)
        return "invalid_grant" if not login or login in self.ended else ""

    def id_token(self, changed: Mapping[str, JsonValue]) -> str:
        now = time.time()
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + LIFE_SECONDS, **self.claims, **changed}
        payload = json.dumps(claims).encode()
        return jwt.PyJWS().encode(payload, signing_key(), "RS256", headers={"typ": "JWT", "kid": KEY_ID})

    async def jwks(self, _: Request) -> Response:
        key = RSAAlgorithm.to_jwk(signing_key().public_key(), as_dict=True)
        return JSONResponse({"keys": [{**key, "kid": KEY_ID, "use": "sig", "alg": "RS256", "key_ops": ["verify"]}]})


def sections_of(provider: OpenIdServer) -> dict[str, dict[str, JsonValue]]:
    """Those of auth.yaml with which people log in there, as by a public client."""
    return {
        "tokens": {
            "issuer": provider.issuer,
            "audience": ["tarsy", CLIENT],
            "jwks": f"{provider.issuer}/certs",
            "name": "email",
            "roles": {"claim": "groups", "values": {"sre": "responder"}},
        },
        "login": {
            "client_id": CLIENT,
            "authorization_endpoint": f"{provider.issuer}/authorize",
            "token_endpoint": f"{provider.issuer}/token",
            "redirect_uri": provider.redirect_uri,
        },
    }


def s256(verifier: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _basic() -> str:
    return b64encode(f"{quote_plus(CLIENT)}:{quote_plus(SECRET)}".encode()).decode()


def _is_proper(asked: Mapping[str, str]) -> bool:
    return (
        asked.get("response_type") == "code"
        and asked.get("code_challenge_method") == "S256"
        and len(asked.get("code_challenge", "")) == 43
        and "openid" in asked.get("scope", "").split()
        and all(asked.get(name) for name in ("state", "nonce"))
    )


@asynccontextmanager
async def openid_server(redirect_uri: str) -> AsyncIterator[OpenIdServer]:
    """Runs in the loop of the test. `redirect_uri` is the only one that it knows."""
    async with served(OpenIdServer(redirect_uri)) as one:
        yield one


@asynccontextmanager
async def served(one: OpenIdServer) -> AsyncIterator[OpenIdServer]:
    app = Starlette(
        routes=[
            Route("/authorize", one.authorize, methods=["GET", "POST"]),
            Route("/token", one.token, methods=["POST"]),
            Route("/revoke", one.revoke, methods=["POST"]),
            Route("/certs", one.jwks),
        ]
    )
    async with http_server(app, HOST, one.port):
        yield one
