"""Signed alerts: senders without a key, at the doors of an ingest with an auth file."""

import hashlib
import hmac
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry

from tarsy_ingest.app import build
from tarsy_ingest.doors.http_body import BODY_LIMIT_BYTES
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.settings import IngestSettings
from tarsy_service.process.runner import Readiness, build_app

SECRET = b"a secret of Grafana"
HEADER = "X-Grafana-Alerting-Signature"
AUTH_FILE = f"""\
keys:
  - {{name: ops, role: viewer, sha256: {hashlib.sha256(b"one").hexdigest()}}}
webhooks:
  - {{name: grafana, secret_file: grafana.secret, header: {HEADER}}}
"""
DOORS = ["/api/v1/alerts", *(f"/api/v1/alerts/{path}" for one in FORMATS for path in one.paths)]


@pytest.fixture
async def authenticated(config_dir: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """The HTTP side of an ingest that has an auth file and no Kafka."""
    for name, text in {"grafana.secret": SECRET.decode(), "auth.yaml": AUTH_FILE}.items():
        (config_dir / name).write_text(text, "utf-8")
        (config_dir / name).chmod(0o600)
    settings, registry = (
        IngestSettings(config_dir=config_dir, auth_file=str(config_dir / "auth.yaml")),
        CollectorRegistry(),
    )
    app = build_app([build(settings, registry)], Readiness([]), registry, policy=settings.http_policy)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        yield client


def signed(body: bytes) -> dict[str, str]:
    return {HEADER: hmac.new(SECRET, body, hashlib.sha256).hexdigest(), "Content-Type": "application/json"}


@pytest.mark.parametrize("door", DOORS)
async def test_each_door_reads_what_a_known_sender_signed_and_nothing_else(
    authenticated: httpx2.AsyncClient, door: str
) -> None:
    body = b"{broken"
    by_sender = await authenticated.post(door, content=body, headers=signed(body))
    by_stranger = await authenticated.post(door, content=body, headers=signed(b"{other"))
    assert by_sender.status_code in (400, 415)  # the door itself says what is wrong
    assert by_stranger.status_code == 401


async def test_a_body_of_the_longest_length_is_judged_and_a_longer_one_is_not(
    authenticated: httpx2.AsyncClient,
) -> None:
    for size, status in ((BODY_LIMIT_BYTES, 400), (BODY_LIMIT_BYTES + 1, 413)):
        body = b"x" * size
        assert (await authenticated.post(DOORS[0], content=body, headers=signed(body))).status_code == status


async def test_a_signature_reads_nothing(authenticated: httpx2.AsyncClient) -> None:
    assert (await authenticated.get("/api/v1/alert-types", headers=signed(b""))).status_code == 401
    assert (await authenticated.post("/internal/v1/alert-choices", headers=signed(b""))).status_code == 401
