"""What a person, or who claims to be one, sends with a request is masked before it goes to the inbox."""

import httpx2
import pytest
from fastapi import Request
from prometheus_client import CollectorRegistry

from tarsy_audit.trail import AuditTrail
from tarsy_masking.masker import REDACTED, Masker
from tarsy_service.access.caller import LONGEST_AUTHOR, caller_of
from tarsy_service.process.runner import Readiness, build_app
from tarsy_testing.access import request_with
from tarsy_testing.broken_masker import broken_masker
from tarsy_timeline.api.requests.session_commands import request_id
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
MASKER = Masker.default(bytes(range(32)))


def test_an_author_has_the_placeholders_of_the_session() -> None:
    who = caller_of(request_with({"x-forwarded-user": f"bob {SECRET}"}))
    authors = [who.author(MASKER.for_session(id).mask) for id in "ab"]
    assert authors == [f"bob {MASKER.for_session(id).mask(SECRET)}" for id in "ab"]
    assert authors[0] != authors[1]


def test_an_author_is_cut_after_masking() -> None:
    long = "x" * (LONGEST_AUTHOR - 12) + " "
    assert SECRET[:8] not in caller_of(request_with({"x-forwarded-user": long + SECRET})).author(MASKER.mask)


def test_when_masking_fails_the_author_is_redacted_and_the_request_is_the_same() -> None:
    headers = {"x-forwarded-user": SECRET, "idempotency-key": SECRET}
    who = caller_of(request_with(headers))
    assert who.author(broken_masker().for_session("s").mask) == REDACTED
    assert request_id("cancel", who, "s") == request_id("cancel", caller_of(request_with(headers)), "s")
    assert SECRET not in request_id("cancel", who, "s")


async def test_what_somebody_pasted_as_a_session_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async def recorded(trail: AuditTrail, request: Request) -> None:
        """There is no Kafka here."""

    monkeypatch.setattr(AuditTrail, "record", recorded)
    settings = TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none"})
    registry = CollectorRegistry()
    service = build(settings, registry)
    transport = httpx2.ASGITransport(build_app([service], Readiness([service.name]), registry))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post(f"/api/v1/sessions/{SECRET}/cancel")
    assert (answer.status_code, answer.json()["detail"]) == (404, "there is no such session")
