"""Kubernetes Secrets as objects: the data goes, the keys stay (a missing key is a common cause of an incident)."""

import json
from collections.abc import Callable

from tarsy_masking.json_value import JsonObject, JsonValue

RULE = "kubernetes_secret"
LABEL = b"[MASKED_SECRET_DATA]"
DATA_KEYS = ("data", "stringData")


def holds_secrets(body: JsonObject, *, inside_list: bool = False) -> bool:
    """The items of a SecretList have no kind of their own, so they are told by where they are."""
    return inside_list or body.get("kind") == "Secret"


def lists_secrets(body: JsonObject) -> bool:
    return body.get("kind") == "SecretList"


def without_data(secret: JsonObject, hidden: Callable[[JsonValue], JsonValue]) -> JsonObject:
    return {key: _mask_data(value, hidden) if key in DATA_KEYS else value for key, value in secret.items()}


def _mask_data(data: JsonValue, hidden: Callable[[JsonValue], JsonValue]) -> JsonValue:
    if isinstance(data, dict):
        return {key: hidden(_as_text(value)) for key, value in data.items()}
    return hidden(_as_text(data))


def _as_text(value: JsonValue) -> JsonValue:
    return json.dumps(value) if isinstance(value, dict | list) and value else value
