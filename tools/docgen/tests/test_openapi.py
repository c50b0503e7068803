"""The OpenAPI document: what the official schema says of it, and that it says what the handlers answer."""

import copy
import json
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own

from tarsy_docgen.openapi import openapi_document, public_api
from tarsy_service.http.problems import MEDIA_TYPE
from tarsy_testing.official_schemas import OPENAPI, official


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(openapi_document())
    return found


def test_it_is_an_openapi_3_1_document_by_the_official_schema(document: dict[str, Any]) -> None:
    validator = Draft202012Validator(official(OPENAPI))
    assert [f"{problem.json_path}: {problem.message[:200]}" for problem in validator.iter_errors(document)] == []
    wrong = copy.deepcopy(document)
    wrong["paths"]["/api/v1/alerts"]["post"]["responses"]["202"].pop("description")
    assert not validator.is_valid(wrong), "the official schema would let anything through"


def test_every_schema_in_it_is_one_and_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    used = {reference.removeprefix("#/components/schemas/") for reference in references_in(document)}
    assert used == schemas.keys(), "a schema is missing, or nothing uses it"


def test_it_holds_the_public_api_of_all_services_and_nothing_internal(document: dict[str, Any]) -> None:
    assert len(document["paths"]) > 30
    assert not [path for path in document["paths"] if "internal" in path]


def test_each_operation_says_what_it_does_and_with_which_problems_it_may_be_answered(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            told = {status: answer["description"] for status, answer in operation["responses"].items()}
            assert "400" in told, f"{method} {path} is not described"
            assert "Successful Response" not in told.values(), f"{method} {path} does not say what it answers"
            assert "Validation Error" not in told.values(), f"{method} {path}: we answer problems"


def test_the_environment_of_whoever_generates_it_does_not_matter(
    document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARSY_CONFIG_DIR", "/nowhere")
    monkeypatch.setenv("TARSY_TOPIC_PREFIX", "other")
    assert json.loads(openapi_document()) == document


RESULT = "/api/v1/sessions/{session_id}/tool-calls/{call_id}/result"
JSON = {"Content-Type": "application/json"}
ASKED = [
    ("post", "/api/v1/alerts", "/api/v1/alerts", {"content": b"not json"}, 415),
    ("post", "/api/v1/alerts", "/api/v1/alerts", {"content": b"not json", "headers": JSON}, 400),
    ("post", "/api/v1/alerts", "/api/v1/alerts", {"json": {"data": "x"}, "headers": {"Idempotency-Key": " "}}, 400),
    ("post", "/api/v1/alerts", "/api/v1/alerts", {"content": b"x" * (2 * 1024 * 1024 + 1)}, 413),
    ("post", "/api/v1/alerts/alertmanager", "/api/v1/alerts/alertmanager", {"json": {}}, 400),
    ("get", "/api/v1/sessions", "/api/v1/sessions?page=0", {}, 400),
    ("get", "/api/v1/sessions", "/api/v1/sessions", {}, 503),
    ("get", "/api/v1/sessions/{session_id}", "/api/v1/sessions/some", {}, 503),
    ("get", "/api/v1/sessions/{session_id}", "/api/v1/sessions/so$me", {}, 400),
    ("get", "/api/v1/sessions/{session_id}/status", "/api/v1/sessions/some/status", {}, 503),
    ("get", "/api/v1/sessions/{session_id}/timeline", "/api/v1/sessions/some/timeline", {}, 503),
    ("get", "/api/v1/sessions/{session_id}/timeline", "/api/v1/sessions/some/timeline?at_least=-1", {}, 400),
    ("get", RESULT, RESULT.format(session_id="some", call_id="1a2b3c4d"), {}, 503),
    ("get", RESULT, RESULT.format(session_id="some", call_id="1a2b"), {}, 400),
    ("get", RESULT, RESULT.format(session_id="some", call_id="1a2b3c4d") + "?search=(", {}, 400),
    ("get", f"{RESULT}/download", RESULT.format(session_id="some", call_id="1a2b3c4d") + "/download", {}, 503),
    (
        "post",
        "/api/v1/sessions/{session_id}/cancel",
        "/api/v1/sessions/some/cancel",
        {"headers": {"Idempotency-Key": "k" * 300}},
        400,
    ),
]


@pytest.mark.parametrize(("method", "path", "address", "request_parts", "status"), ASKED)
async def test_what_the_handlers_answer_is_said(
    document: dict[str, Any], method: str, path: str, address: str, request_parts: dict[str, Any], status: int
) -> None:
    """Of services that do not run: enough for requests that are wrong, and for a database that is away."""
    with public_api() as app:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.request(method, address, **request_parts)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE
    said = document["paths"][path][method]["responses"][str(status)]["content"][MEDIA_TYPE]["schema"]
    problem = {**said, "components": document["components"]}
    Draft202012Validator(problem).validate(answer.json())


def references_in(value: Any) -> list[str]:
    match value:
        case dict():
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [found for part in value.values() for found in references_in(part)]
        case list():
            return [found for part in value for found in references_in(part)]
        case _:
            return []
