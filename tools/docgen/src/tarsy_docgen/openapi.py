"""The OpenAPI document: the public HTTP API of all services together, as `build_app` composes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from pydantic import JsonValue, SecretStr
from pydantic.json_schema import models_json_schema

from tarsy_auth.roles import Role
from tarsy_contracts.api.problems import ProblemDetails
from tarsy_docgen.http_access import ROLE, SCHEMES, refusals_of, role_of_operation, security_of
from tarsy_docgen.messages import as_file
from tarsy_docgen.schema import as_object
from tarsy_ingest.app import build as build_ingest
from tarsy_ingest.settings import IngestSettings
from tarsy_service.http.described_routes import PROBLEM
from tarsy_service.process.runner import Readiness, build_app
from tarsy_timeline.app import build as build_timeline
from tarsy_timeline.settings import TimelineSettings
from tarsy_websocket_gateway.app import build as build_websocket_gateway
from tarsy_websocket_gateway.settings import GatewaySettings

ABOUT = """\
What TARSy takes in and tells over HTTP. What happens live is told on the WebSocket `/api/v1/ws`, which asyncapi.json
describes. Every service has `/health`, `/ready` and `/metrics` besides.
"""
CONFIG = """\
agents: {AnyAgent: {}}
agent_chains: {any: {alert_types: [any], stages: [{name: any, agents: [{name: AnyAgent}]}]}}
defaults: {alert_type: any, llm_provider: any}
llm_providers: {any: {type: scripted, script: script.yaml}}
"""
SCRIPT = "turns: []\n"
FASTAPI_ERRORS = ("HTTPValidationError", "ValidationError")
"""Answers that FastAPI declares by itself; we answer problems."""


def openapi_document() -> str:
    with public_api() as app:
        document = as_object(app.openapi())
    as_object(document["info"])["description"] = ABOUT
    components = as_object(document["components"])
    components["securitySchemes"] = dict(SCHEMES)
    schemas = as_object(components["schemas"])
    for name in FASTAPI_ERRORS:
        schemas.pop(name, None)
    _, defined = models_json_schema([(ProblemDetails, "serialization")], ref_template="#/components/schemas/{model}")
    schemas.update(as_object(defined["$defs"]))
    for path, methods in as_object(document["paths"]).items():
        for method, operation in as_object(methods).items():
            _add_access(as_object(operation), role_of_operation(method, path))
    return as_file(document)


@contextmanager
def public_api() -> Iterator[FastAPI]:
    """Nothing of it runs: no Kafka, no database, and none of the configuration of where this is called."""
    registry = CollectorRegistry()
    with TemporaryDirectory() as folder:
        (Path(folder) / "tarsy.yaml").write_text(CONFIG, encoding="utf-8")
        (Path(folder) / "script.yaml").write_text(SCRIPT, encoding="utf-8")
        services = [
            build_ingest(IngestSettings(config_dir=Path(folder)), registry),
            build_timeline(TimelineSettings(database=SecretStr("postgresql://127.0.0.1/none")), registry),
            build_websocket_gateway(GatewaySettings(), registry),
        ]
        yield build_app(services, Readiness([]), registry)


def _add_access(operation: dict[str, JsonValue], role: Role | None) -> None:
    operation["security"] = security_of(role)
    operation[ROLE] = None if role is None else role.label
    responses = as_object(operation["responses"])
    if str(responses.get("422")).find(FASTAPI_ERRORS[0]) >= 0:
        del responses["422"]
    told = {int(status): str(as_object(answer)["description"]) for status, answer in responses.items()}
    for status, meaning in refusals_of(role, told).items():
        responses[str(status)] = {"description": meaning, "content": PROBLEM}
