"""The WebSocket in the AsyncAPI document: its messages both ways, from the models of tarsy_contracts.api.websocket."""

from collections.abc import Iterable, Mapping

from pydantic import JsonValue
from pydantic.json_schema import models_json_schema

from tarsy_contracts.api.websocket import SERVER_MESSAGES, ClientAction
from tarsy_contracts.api.websocket_model import WebSocketMessage
from tarsy_docgen.schema import as_object

CHANNEL = "websocket"
SERVER = "gateway"
ACTION = "client.action"
MESSAGES: Mapping[str, type[WebSocketMessage]] = {ACTION: ClientAction, **SERVER_MESSAGES}
ABOUT = """\
Sessions, live. A client subscribes to `sessions` (the status of all of them) or to `session:ID`: it gets the history
of the session as messages, and then what happens, without a gap and nothing twice. Skip messages of a type that you do
not know, and fields. A client that reads too slowly is dropped with code 1013: connect and subscribe again, with the
last number that it has. The page docs/reference/websocket.md is for those who write a client.
"""


def websocket_server() -> JsonValue:
    return {
        "host": "{host}",
        "protocol": "ws",
        "description": "The websocket-gateway, most often behind a proxy that ends TLS.",
        "variables": {"host": {"default": "127.0.0.1:8080", "description": "HOST:PORT"}},
    }


def websocket_channel() -> JsonValue:
    return {
        "address": "/api/v1/ws",
        "title": "The WebSocket",
        "description": ABOUT,
        "servers": [{"$ref": f"#/servers/{SERVER}"}],
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in MESSAGES},
    }


def websocket_messages() -> dict[str, JsonValue]:
    return {
        name: {
            "name": name,
            "title": kind.__name__,
            "summary": kind.__doc__ or "",
            "contentType": "application/json",
            "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
        }
        for name, kind in MESSAGES.items()
    }


def websocket_schemas() -> dict[str, JsonValue]:
    _, defined = models_json_schema(
        [(ClientAction, "validation"), *((kind, "serialization") for kind in SERVER_MESSAGES.values())],
        ref_template="#/components/schemas/{model}",
    )
    return as_object(defined["$defs"])


def websocket_operations() -> dict[str, JsonValue]:
    return {
        f"websocket-gateway.receive.{CHANNEL}": _operation("receive", "reads", [ACTION]),
        f"websocket-gateway.send.{CHANNEL}": _operation("send", "writes", SERVER_MESSAGES),
    }


def _operation(action: str, does: str, names: Iterable[str]) -> JsonValue:
    return {
        "action": action,
        "title": f"The WebSocket: websocket-gateway {does}",
        "channel": {"$ref": f"#/channels/{CHANNEL}"},
        "messages": [{"$ref": f"#/channels/{CHANNEL}/messages/{name}"} for name in names],
        "tags": [{"name": "websocket-gateway"}],
    }
