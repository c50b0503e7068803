"""Kubernetes Secrets as objects: the data goes, the keys stay (a missing key is a common cause of an incident)."""

from tarsy_masking.json_value import JsonObject, JsonValue

MASKED_DATA = "[MASKED_SECRET_DATA]"
DATA_KEYS = ("data", "stringData")


def holds_secrets(body: JsonObject, *, inside_list: bool = False) -> bool:
    """The items of a SecretList have no kind of their own, so they are told by where they are."""
    return inside_list or body.get("kind") == "Secret"


def lists_secrets(body: JsonObject) -> bool:
    return body.get("kind") == "SecretList"


def without_data(secret: JsonObject) -> JsonObject:
    return {key: _masked(value) if key in DATA_KEYS else value for key, value in secret.items()}


def _masked(data: JsonValue) -> JsonValue:
    if data is None:
        return None
    return dict.fromkeys(data, MASKED_DATA) if isinstance(data, dict) else MASKED_DATA
