"""Fields of webhooks as senders write them: null for what is empty, numbers where a text belongs."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

OFFSET = 14695981039346656037
PRIME = 1099511628211
SEPARATOR = b"\xff"


def label_value(value: Any) -> Any:
    """A label is text: numbers and booleans become what JSON writes, and so does anything nested."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _clean_labels(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: label_value(one) for name, one in value.items() if one is not None}


def _empty_if_none(value: Any) -> Any:
    return {} if value is None else _clean_labels(value)


def _clean_text(value: Any) -> Any:
    return "" if value is None else label_value(value)


def _zero_if_none(value: Any) -> Any:
    return 0 if value is None else value


type Labels = Annotated[dict[str, str], BeforeValidator(_clean_labels)]
type OptionalLabels = Annotated[dict[str, str], BeforeValidator(_empty_if_none)]
type OptionalText = Annotated[str, BeforeValidator(_clean_text)]
type OptionalCount = Annotated[int, BeforeValidator(_zero_if_none)]


def fingerprint_of(labels: Mapping[str, str]) -> str:
    """Derived as in Prometheus: FNV-1a of all sorted labels, so that it equals Alertmanager's."""
    digest = OFFSET
    for name in sorted(labels):
        for byte in name.encode() + SEPARATOR + labels[name].encode() + SEPARATOR:
            digest = ((digest ^ byte) * PRIME) & (2**64 - 1)
    return f"{digest:016x}"
