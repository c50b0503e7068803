"""An MCP server that wants a person's consent, and its authorization server, over real HTTP at one address.

Its rules are the standard's: PKCE, one use of each code, one use of each refresh token. A refresh token that is used a
second time ends all tokens of its login. A test changes what it does.
"""

import asyncio
import hashlib
import secrets
from base64 import b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

import httpx2
from mcp.server import MCPServer
from mcp.shared.auth import AuthorizationCodeResult
from mcp_types import ToolAnnotations
from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server
from tarsy_testing.real_servers import WAIT_SECONDS

HOST = "127.0.0.1"
SCOPE = "tools.read"


@dataclass(frozen=True, slots=True)
class Consent:
    """The meaning of a code, until it is exchanged."""

    client_id: str
    redirect_uri: str
    challenge: str
    scope: str


@dataclass
class ConsentServer:
    """`life_seconds`: of an access token. `refusal`: an error of the form. `answer`: that of the token endpoint.

    `held`: while it is cleared, refreshes wait, after they were counted. `named_issuer`: that of the MCP server.
    """

    port: int = field(default_factory=free_port)
    life_seconds: int = 3600
    rotates: bool = True
    registers: bool = True
    refusal: str = ""
    answer: Response | None = None
    named_issuer: str = ""
    needed_scope: str = SCOPE
    held: asyncio.Event = field(default_factory=asyncio.Event)
    clients: dict[str, str | None] = field(default_factory=dict)
    codes: dict[str, Consent] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)
    refresh: dict[str, str] = field(default_factory=dict)
    spent: set[str] = field(default_factory=set)
    grants: list[Mapping[str, str]] = field(default_factory=list)
    revoked: list[str] = field(default_factory=list)
    revocation_status: int = 200

    def __post_init__(self) -> None:
        self.held.set()

    @property
    def issuer(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.issuer}/mcp"

    @property
    def refreshes(self) -> list[Mapping[str, str]]:
        return [grant for grant in self.grants if grant["grant_type"] == "refresh_token"]

    def expire(self) -> None:
        """Access tokens count no longer."""
        self.access.clear()

    async def resource(self, _: Request) -> Response:
        named = self.named_issuer or self.issuer
        return JSONResponse({"resource": self.url, "authorization_servers": [named], "scopes_supported": [SCOPE]})

    async def metadata(self, _: Request) -> Response:
        endpoints = {
            name: f"{self.issuer}/{path}" for name, path in ENDPOINTS.items() if self.registers or path != "register"
        }
        supported: dict[str, JsonValue] = {
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return JSONResponse({"issuer": self.issuer, **endpoints, **supported})

    async def register(self, request: Request) -> Response:
        asked = await request.json()
        client_id, secret = f"client-{len(self.clients) + 1}", secrets.token_urlsafe()
        self.clients[client_id] = secret
        assigned = {
            "client_id": client_id,
            "client_secret": secret,
            "token_endpoint_auth_method": "client_secret_basic",
        }
        return JSONResponse({**asked, **assigned}, 201)

    async def authorize(self, request: Request) -> Response:
        """The person consents at once."""
        asked = dict(request.query_params)
        if asked.get("client_id") not in self.clients or asked.get("resource") != self.url:
            return Response("unknown client or resource", 400)
        back = {"state": asked["state"], "iss": self.issuer}
        if self.refusal:
            back |= {"error": self.refusal, "error_description": "the person said no"}
            return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(back)}", 303)
        code = secrets.token_urlsafe()
        self.codes[code] = Consent(
            asked["client_id"], asked["redirect_uri"], asked["code_challenge"], asked.get("scope", "")
        )
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({**back, 'code': code})}", 303)

    async def token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        self.grants.append(form)
        if form["grant_type"] == "refresh_token":
            await self.held.wait()
        if self.answer is not None:
            return self.answer
        if not self._is_client(form, request.headers.get("authorization", "")):
            return JSONResponse({"error": "invalid_client"}, 401)
        scope = self._redeemed(form) if form["grant_type"] == "authorization_code" else self._refreshed(form)
        return JSONResponse({"error": "invalid_grant"}, 400) if scope is None else self._tokens(scope, form)

    def _is_client(self, form: Mapping[str, str], authorization: str) -> bool:
        secret = self.clients.get(form.get("client_id", ""))
        given = b64decode(authorization.partition(" ")[2]).decode().partition(":")[2] if authorization else None
        return secret == (unquote(given) if given is not None else None)

    def _redeemed(self, form: Mapping[str, str]) -> str | None:
        consent = self.codes.pop(form.get("code", ""), None)
        verified = consent is not None and consent.challenge == s256(form.get("code_verifier", ""))
        return consent.scope if consent is not None and verified else None

    def _refreshed(self, form: Mapping[str, str]) -> str | None:
        token = form["refresh_token"]
        if token in self.spent:
            self.refresh.clear()
            self.access.clear()
            return None
        if self.rotates and token in self.refresh:
            self.spent.add(token)
            return self.refresh.pop(token)
        return self.refresh.get(token)

    def _tokens(self, scope: str, form: Mapping[str, str]) -> Response:
        access = secrets.token_urlsafe()
        self.access[access] = scope
        given: dict[str, JsonValue] = {"access_token": access, "token_type": "Bearer", "scope": scope}
        given["expires_in"] = self.life_seconds
        if self.rotates or form["grant_type"] == "authorization_code":
            given["refresh_token"] = secrets.token_urlsafe()
            self.refresh[str(given["refresh_token"])] = scope
        return JSONResponse(given)

    async def revoke(self, request: Request) -> Response:
        """The whole login ends with its refresh token."""
        form = dict(parse_qsl((await request.body()).decode()))
        if self.revocation_status == 200 and self._is_client(form, request.headers.get("authorization", "")):
            self.revoked.append(form["token"])
            self.refresh.clear()
            self.access.clear()
        return Response(status_code=self.revocation_status)

    def judged(self, authorization: str) -> Response | None:
        """None where the token counts."""
        where = f'resource_metadata="{self.issuer}/.well-known/oauth-protected-resource/mcp"'
        scope = self.access.get(authorization.partition(" ")[2])
        if scope is None:
            return Response(status_code=401, headers={"www-authenticate": f'Bearer scope="{SCOPE}", {where}'})
        if self.needed_scope not in scope.split():
            challenge = f'Bearer error="insufficient_scope", scope="{self.needed_scope}", {where}'
            return Response(status_code=403, headers={"www-authenticate": challenge})
        return None


ENDPOINTS = {
    "authorization_endpoint": "authorize",
    "token_endpoint": "token",
    "registration_endpoint": "register",
    "revocation_endpoint": "revoke",
}


class GuardedTools:
    def __init__(self, app: ASGIApp, server: ConsentServer) -> None:
        self._app = app
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._server.judged(Request(scope).headers.get("authorization", ""))
        await (refusal or self._app)(scope, receive, send)


def s256(verifier: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def tools() -> MCPServer:
    server = MCPServer("guarded")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    async def echo(text: str) -> str:
        """Says it again."""
        return text

    return server


@asynccontextmanager
async def consent_server(port: int | None = None) -> AsyncIterator[ConsentServer]:
    """Runs in the loop of the test."""
    one = ConsentServer() if port is None else ConsentServer(port)
    mcp = tools().streamable_http_app(stateless_http=True, json_response=True, host=HOST)
    app = Starlette(
        routes=[
            Route("/.well-known/oauth-protected-resource/mcp", one.resource),
            Route("/.well-known/oauth-authorization-server", one.metadata),
            Route("/register", one.register, methods=["POST"]),
            Route("/authorize", one.authorize),
            Route("/token", one.token, methods=["POST"]),
            Route("/revoke", one.revoke, methods=["POST"]),
            Mount("/", GuardedTools(mcp, one)),
        ]
    )
    started, over = asyncio.Event(), asyncio.Event()
    # A task of its own: a fixture begins and ends in different ones.
    running = asyncio.create_task(_run_tools(mcp, started, over))
    async with http_server(app, HOST, one.port):
        await started.wait()
        yield one
    over.set()
    await running


async def _run_tools(mcp: Starlette, started: asyncio.Event, over: asyncio.Event) -> None:
    async with mcp.router.lifespan_context(mcp):
        started.set()
        await over.wait()


async def consent(url: str) -> AuthorizationCodeResult:
    """A person who says yes: the answer that a browser would take to the listener."""
    async with httpx2.AsyncClient(timeout=WAIT_SECONDS, trust_env=False) as browser:
        answer = await browser.get(url)
    given = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given["iss"])


async def browse(url: str) -> int:
    """A person's browser, which takes the answer to the listener. Its status."""
    async with httpx2.AsyncClient(timeout=WAIT_SECONDS, trust_env=False, follow_redirects=True) as browser:
        return (await browser.get(url)).status_code
