"""What cannot be an alert is answered with a problem that points to the field, and repeats nothing of it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

ALERTS = "/api/v1/alerts"
WEBHOOK = "/api/v1/alerts/alertmanager"

JSON = {"Content-Type": "application/json"}


def pointers(response: httpx2.Response) -> list[str]:
    assert response.headers["content-type"] == "application/problem+json"
    return [error["pointer"] for error in response.json()["errors"]]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/data"),
        ({"data": 5}, "/data"),
        ({"data": " "}, "/data"),
        ({"data": "x", "alert_type": "network"}, "/alert_type"),
        ({"data": "x", "severity": 1}, "/severity"),
        ({"data": "x", "runbok": "x"}, "/runbok"),
        ({"data": "x", "runbook": "file:///etc/passwd"}, "/runbook"),
        ({"data": "x", "runbook": "https://evil.net/x"}, "/runbook"),
        ({"data": "x", "runbook": "https://github.com@evil.net/x"}, "/runbook"),
        ({"data": "x", "priority": "P1"}, "/priority"),
        ({"data": "x", "priority": 1}, "/priority"),
        ({"data": "x", "title": 1}, "/title"),
        ({"data": "x", "llm_provider": "nope"}, "/llm_provider"),
        ({"data": "x", "llm_provider": 5}, "/llm_provider"),
        ({"data": "x", "llm_provider": "x" * 201}, "/llm_provider"),
        ({"data": "x", "mcp": []}, "/mcp"),
        ({"data": "x", "mcp": {"servers": []}}, "/mcp/servers"),
        ({"data": "x", "mcp": {"native_tools": {"google_search": True}}}, "/mcp/servers"),
        ({"data": "x", "mcp": {"servers": [{}]}}, "/mcp/servers/0/name"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes"}, {"name": "nope"}]}}, "/mcp/servers/1/name"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes"}] * 2}}, "/mcp/servers/1/name"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes", "tool": []}]}}, "/mcp/servers/0/tool"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes", "tools": [""]}]}}, "/mcp/servers/0/tools/0"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes", "tools": ["x" * 201]}]}}, "/mcp/servers/0/tools/0"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes", "tools": ["x"] * 201}]}}, "/mcp/servers/0/tools"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes"}] * 51}}, "/mcp/servers"),
        ({"data": "x", "mcp": {"servers": [{"name": "kubernetes"}], "native": 1}}, "/mcp/native"),
        (
            {"data": "x", "mcp": {"servers": [{"name": "kubernetes"}], "native_tools": {"google_search": "yes"}}},
            "/mcp/native_tools/google_search",
        ),
        (
            {"data": "x", "mcp": {"servers": [{"name": "kubernetes"}], "native_tools": {"shell": True}}},
            "/mcp/native_tools/shell",
        ),
        ([], ""),
    ],
)
async def test_a_wrong_field_is_pointed_to(unconnected: httpx2.AsyncClient, body: Any, pointer: str) -> None:
    response = await unconnected.post(ALERTS, json=body)
    assert response.status_code == 400
    assert pointers(response) == [pointer]


async def test_all_wrong_fields_are_told_at_once(unconnected: httpx2.AsyncClient) -> None:
    response = await unconnected.post(ALERTS, json={"data": None, "alert_type": 1, "typo": 1})
    assert sorted(pointers(response)) == ["/alert_type", "/data", "/typo"]


async def test_wrong_choices_are_told_at_once(unconnected: httpx2.AsyncClient) -> None:
    body = {"data": "x", "runbook": "https://evil.net/x", "mcp": {"servers": [{"name": "a"}, {"name": "b"}]}}
    response = await unconnected.post(ALERTS, json=body)
    assert sorted(pointers(response)) == ["/mcp/servers/0/name", "/mcp/servers/1/name", "/runbook"]


async def test_a_refused_choice_says_what_can_be_chosen(unconnected: httpx2.AsyncClient) -> None:
    body = {"data": "x", "runbook": "https://hunter2.net/x", "mcp": {"servers": [{"name": "hunter2"}]}}
    response = await unconnected.post(ALERTS, json=body)
    assert "known: kubernetes, prometheus" in response.text
    assert "allowed: github.com, .example.com" in response.text
    assert "hunter2" not in response.text


async def test_what_is_not_json_is_refused(unconnected: httpx2.AsyncClient) -> None:
    response = await unconnected.post(ALERTS, content=b"{", headers=JSON)
    assert response.status_code == 400
    assert "is not JSON" in response.json()["detail"]


@pytest.mark.parametrize("path", [ALERTS, WEBHOOK])
async def test_a_refusal_repeats_nothing_of_what_was_sent(unconnected: httpx2.AsyncClient, path: str) -> None:
    body = {"data": ["hunter2"], "mcp": "hunter2", "alerts": "hunter2", "version": "hunter2"}
    response = await unconnected.post(path, json=body)
    assert response.status_code == 400
    assert "hunter2" not in response.text


async def test_data_above_the_limit_is_too_large(unconnected: httpx2.AsyncClient) -> None:
    response = await unconnected.post(ALERTS, json={"data": "x" * (1024 * 1024 + 1)})
    assert response.status_code == 413
    assert pointers(response) == ["/data"]


@pytest.mark.parametrize("path", [ALERTS, WEBHOOK])
async def test_a_body_above_the_limit_is_too_large(unconnected: httpx2.AsyncClient, path: str) -> None:
    declared = await unconnected.post(path, content=b"x" * (2 * 1024 * 1024 + 1), headers=JSON)
    assert declared.status_code == 413

    async def undeclared() -> AsyncIterator[bytes]:
        for _ in range(33):
            yield b"x" * 65536

    assert (await unconnected.post(path, content=undeclared(), headers=JSON)).status_code == 413


async def test_a_webhook_of_another_version_is_refused(unconnected: httpx2.AsyncClient, samples: Any) -> None:
    response = await unconnected.post(WEBHOOK, json=samples["firing"] | {"version": "3"})
    assert response.status_code == 400
    assert pointers(response) == ["/version"]


async def test_an_alert_type_in_the_query_has_to_exist(unconnected: httpx2.AsyncClient, samples: Any) -> None:
    response = await unconnected.post(WEBHOOK, params={"alert_type": "network"}, json=samples["firing"])
    assert response.status_code == 400
    assert pointers(response) == ["/alert_type"]


@pytest.mark.parametrize("key", [" ", "x" * 256])
async def test_an_idempotency_key_has_a_length(unconnected: httpx2.AsyncClient, key: str) -> None:
    response = await unconnected.post(ALERTS, json={"data": "x"}, headers={"Idempotency-Key": key})
    assert response.status_code == 400
    assert "Idempotency-Key" in response.json()["detail"]


async def test_before_the_service_runs_an_alert_is_to_be_sent_again(unconnected: httpx2.AsyncClient) -> None:
    response = await unconnected.post(ALERTS, json={"data": "x"})
    assert response.status_code == 503
    assert response.headers["retry-after"] == "5"


async def test_the_api_document_shows_both_bodies(unconnected: httpx2.AsyncClient) -> None:
    document = (await unconnected.get("/openapi.json")).json()
    for path, field in ((ALERTS, "data"), (WEBHOOK, "groupLabels")):
        body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert field in body["properties"]
        assert "$defs" not in json.dumps(body)
