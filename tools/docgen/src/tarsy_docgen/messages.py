"""Messages with a JSON Schema: `schemas/KIND/TYPE.VERSION.json`. The public ones are a contract of their own."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from tarsy_contracts.api.digests.usage_digest import UsageDigest
from tarsy_contracts.digest_event import DIGEST_SCHEMA, DIGEST_TYPE
from tarsy_contracts.events import EVENTS
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.messages.actions import ActionsGranted, ActionsSwitched
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.messages.chunks import CHUNKS
from tarsy_contracts.messages.control import CONTROLS
from tarsy_contracts.messages.dead_letters import DeadLetterRedriven
from tarsy_contracts.messages.held import SessionSetAside
from tarsy_contracts.messages.inputs import INPUTS
from tarsy_contracts.messages.layout import ClusterLayout
from tarsy_contracts.messages.mcp_tokens import McpRefreshClaimed, McpTokenSealed
from tarsy_contracts.messages.requests import REQUESTS
from tarsy_contracts.messages.spending import DaySpent
from tarsy_contracts.messages.workers import ServerCatalogued, WorkerAnnounced
from tarsy_contracts.public.events import PUBLIC_EVENTS
from tarsy_contracts.wire.message import Message
from tarsy_docgen.headers import HEADERS, PUBLIC_HEADERS
from tarsy_docgen.schema import Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"

MESSAGES: Mapping[str, Mapping[str, type[Message]]] = {
    "events": EVENTS,
    "inputs": INPUTS,
    "requests": REQUESTS,
    "control": CONTROLS,
    "chunks": CHUNKS,
    "heads": {SessionHead.type: SessionHead},
    "layout": {ClusterLayout.type: ClusterLayout},
    "held": {SessionSetAside.type: SessionSetAside},
    "dead-letters": {DeadLetterRedriven.type: DeadLetterRedriven},
    "audit": {ActRequested.type: ActRequested},
    "mcp-tokens": {kind.type: kind for kind in (McpTokenSealed, McpRefreshClaimed)},
    "actions": {kind.type: kind for kind in (ActionsSwitched, ActionsGranted)},
    "spending": {DaySpent.type: DaySpent},
    "workers": {WorkerAnnounced.type: WorkerAnnounced, ServerCatalogued.type: ServerCatalogued},
}

PUBLIC_HEADERS_SCHEMA = "public/headers.1"
PIECE = "results/result.piece.1"
OTHERS: Mapping[str, dict[str, JsonValue]] = {
    PIECE: {
        "title": "ResultPiece",
        "description": (
            "A piece of a masked result that was too large for the log: UTF-8 text, and no JSON. `StoredResult` of"
            " `tool_call.completed` says which pieces make up the whole."
        ),
        "type": "string",
        "contentMediaType": "text/plain",
    },
    **{f"headers/{name}.1": schema for name, schema in HEADERS.items()},
}
"""Schemas of what no model describes."""


def json_schemas() -> dict[str, Schema]:
    """By name: KIND/TYPE.VERSION."""
    found = {
        f"{kind}/{message.type}.{message.version}": _document(message.dataschema(), message.model_json_schema())
        for kind, messages in MESSAGES.items()
        for message in messages.values()
    }
    return found | {name: _document(urn(name), schema) for name, schema in OTHERS.items()}


def public_schemas() -> dict[str, Schema]:
    """The schemas of `tarsy.events`, by name: public/TYPE.VERSION."""
    headers = {PUBLIC_HEADERS_SCHEMA: _document("urn:tarsy:public:headers:1", PUBLIC_HEADERS)}
    return headers | {
        f"public/{event.type}.{event.version}": _document(event.dataschema(), event.model_json_schema())
        for event in PUBLIC_EVENTS.values()
    }


def webhook_schemas() -> dict[str, Schema]:
    """The schemas of what webhooks are sent besides public events, by name: webhooks/TYPE.VERSION."""
    return {f"webhooks/{DIGEST_TYPE}.1": _document(DIGEST_SCHEMA, UsageDigest.model_json_schema())}


def contract_of_others() -> dict[str, Schema]:
    """Schemas that programs of other teams rely on."""
    return public_schemas() | webhook_schemas()


def all_schemas() -> dict[str, Schema]:
    """The schemas of all that lies on a topic."""
    return json_schemas() | public_schemas()


def urn(name: str) -> str:
    """The `ce_dataschema` of messages of this schema."""
    type, _, version = name.partition("/")[2].rpartition(".")
    return f"urn:tarsy:{type}:{version}"


def as_file(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _document(id: str, schema: dict[str, JsonValue]) -> Schema:
    return {"$schema": DIALECT, "$id": id, **schema}
