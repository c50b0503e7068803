"""A gateway with its page, an API with nothing in it, and an OpenID provider: each behind a port of its own."""

import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import yaml
from fastapi import APIRouter, Request, WebSocket
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from tarsy_audit.page_logins import PageLoginOutcome, RecordPageLogin
from tarsy_auth.api_keys import digest_of, new_key
from tarsy_auth.identity import Identity
from tarsy_auth.roles import Role
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_contracts.api.session_lists import ActiveSessions
from tarsy_processes.ports import free_port
from tarsy_service.access.credentials import subprotocol_of
from tarsy_service.access.rights import rights
from tarsy_service.http.server import http_server
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_service.settings.http import HttpSettings
from tarsy_testing.real_servers import WAIT_SECONDS
from tarsy_testing.servers.openid_server import HOST, SECRET, OpenIdServer, openid_server, sections_of
from tarsy_timeline.api.me_routes import me_routes
from tarsy_timeline.queries.session_filter import SessionFilterQuery
from tarsy_websocket_gateway.login.records import LoginRecords
from tarsy_websocket_gateway.login.routes import login_routes
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.routes import page_routes
from tarsy_websocket_gateway.rights import RIGHTS

API_KEY, SERVICES_KEY = new_key(lambda count: b"a" * count), new_key(lambda count: b"s" * count)
GROUP_KEYS = {"shop": new_key(lambda count: b"p" * count), "elsewhere": new_key(lambda count: b"e" * count)}
"""Keys of viewers who see the sessions of one group only: those of the namespace that is called so."""
SECTIONS = ("keys", "tokens", "login")
SECRET_FILE, REFRESH_KEY_FILE = "client.secret", "refresh.key"
RENEWED = "openid email offline_access"
"""The scope with which the provider gives refresh tokens."""
LIST = "/api/v1/sessions"
WARNINGS = "/api/v1/system/warnings"
ACT = "/api/v1/act"
NAME = "localhost"
"""Another site than that of the provider, which has the address."""


@dataclass(frozen=True, slots=True)
class LoginWorld:
    """`url`: as browsers have it. `port`: the gateway's."""

    url: str
    port: int
    provider: OpenIdServer
    recorded: list[tuple[str, str, str]] = field(default_factory=list)
    """Outcome, name and reason of each login that is on record."""
    is_recording: list[bool] = field(default_factory=list)

    @property
    def socket(self) -> str:
        return f"ws://{NAME}:{self.port}/api/v1/ws"

    def browser(self) -> httpx2.AsyncClient:
        """It keeps cookies, and follows no redirect by itself."""
        return httpx2.AsyncClient(base_url=self.url, timeout=WAIT_SECONDS)

    async def sign_in(self, client: httpx2.AsyncClient, to: str = "/") -> str:
        """From the page's link to the address of the callback, which is not called yet."""
        begun = await client.get("/login", params={"to": to})
        assert begun.status_code == 303, begun.text
        answered = await client.post(begun.headers["location"])
        assert answered.status_code == 303, answered.text
        return str(answered.headers["location"])

    async def log_in(self, client: httpx2.AsyncClient, to: str = "/") -> httpx2.Response:
        """The answer of the callback."""
        return await client.get(await self.sign_in(client, to))


def asked_of_provider(address: str) -> dict[str, str]:
    return {name: value[0] for name, value in parse_qs(urlsplit(address).query).items()}


@asynccontextmanager
async def login_world(
    folder: Path,
    *,
    redirect_uri: str = "",
    hosts: str = "",
    sections: Collection[str] = SECTIONS,
    scope: str = "openid profile email",
    provider: OpenIdServer | None = None,
    record: RecordPageLogin | None = None,
    base_path: str = "",
    outside: int = 0,
) -> AsyncIterator[LoginWorld]:
    """`sections`: those of auth.yaml. API_KEY is in it. `provider`: one that runs already, instead of a new one.

    `record`: where logins are put on record, instead of `recorded`. `outside`: the port of a proxy that browsers ask.
    """
    port = free_port()
    url = f"http://{NAME}:{outside or port}{base_path}"
    redirect_uri = redirect_uri or f"{url}/login/callback"
    async with nullcontext(provider) if provider else openid_server(redirect_uri) as provider:
        file = write_auth_file(folder, provider, sections, scope)
        settings = HttpSettings(auth_file=str(file), hosts=hosts, base_path=base_path)
        registry, policy = CollectorRegistry(), settings.http_policy
        recorded: list[tuple[str, str, str]] = []
        recording = [True]

        async def keep(_: Request, outcome: PageLoginOutcome, identity: Identity | None, reason: str) -> None:
            if not recording[-1]:
                raise NotWrittenError("no broker")
            recorded.append((outcome, "" if identity is None else identity.name, reason))

        router = _router(LoginRecords(record or keep), base_path)
        service = Service("gateway", _nothing, router, rights=(*RIGHTS, *API_RIGHTS))
        app = build_app([service], Readiness([]), registry, policy=policy)
        async with http_server(app, HOST, port):
            yield LoginWorld(url, port, provider, recorded, recording)


def _group_key(group: str) -> JsonValue:
    return {"name": group, "role": "viewer", "sha256": digest_of(GROUP_KEYS[group]), "session_groups": [group]}


def write_auth_file(
    folder: Path,
    provider: OpenIdServer,
    sections: Collection[str] = SECTIONS,
    scope: str = "openid profile email",
) -> Path:
    for name, content_of in ((SECRET_FILE, SECRET), (REFRESH_KEY_FILE, "k" * 32)):
        secret = folder / name
        secret.write_text(f"{content_of}\n", "utf-8")
        secret.chmod(0o600)
    of_provider = sections_of(provider)
    content: dict[str, JsonValue] = {
        "keys": [
            {"name": "alice", "role": "viewer", "sha256": digest_of(API_KEY)},
            {"name": "services", "role": "admin", "sha256": digest_of(SERVICES_KEY)},
            *map(_group_key, GROUP_KEYS),
        ],
        "session_groups": {group: {"namespace": group} for group in GROUP_KEYS},
        "tokens": of_provider["tokens"],
        "login": {
            **of_provider["login"],
            "client_secret_file": SECRET_FILE,
            "scope": scope,
            "refresh_key_file": REFRESH_KEY_FILE,
            "revocation_endpoint": f"{provider.issuer}/revoke",
        },
    }
    file = folder / "auth.yaml"
    file.write_text(yaml.safe_dump({section: content[section] for section in (*sections, "session_groups")}), "utf-8")
    file.chmod(0o600)
    return file


API_RIGHTS = (
    *rights(Role.VIEWER, "GET /api/v1/me", f"GET {LIST}", f"GET {LIST}/active", f"GET {WARNINGS}"),
    *rights(Role.RESPONDER, f"POST {ACT}"),
)


def _router(records: LoginRecords, base_path: str) -> APIRouter:
    """The routes of a gateway and of the timeline, where they need nothing but who asks."""
    page = load_page(base_path)
    router = page_routes(page)
    router.include_router(login_routes(page.version, records, time.time, time.monotonic))
    router.include_router(me_routes())

    @router.get(LIST)
    async def sessions(wanted: SessionFilterQuery) -> dict[str, JsonValue]:
        page, page_size = wanted.page, wanted.page_size
        return {"sessions": [], "pagination": {"page": page, "page_size": page_size, "total_pages": page}}

    @router.get(f"{LIST}/active")
    async def active() -> ActiveSessions:
        return ActiveSessions(active=(), queued=())

    @router.get(WARNINGS)
    async def warnings() -> dict[str, JsonValue]:
        return {"warnings": [], "server_count": 2}

    @router.post(ACT)
    async def act() -> dict[str, str]:
        return {"done": "yes"}

    @router.websocket("/api/v1/ws")
    async def connect(websocket: WebSocket) -> None:
        await websocket.accept(subprotocol_of(websocket.scope))
        async for _ in websocket.iter_text():
            await websocket.send_json({"type": "subscription.confirmed", "channel": "sessions"})

    return router


async def _nothing(ready: Ready) -> None:
    ready()
