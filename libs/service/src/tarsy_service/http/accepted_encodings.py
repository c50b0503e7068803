"""The encodings of an answer that a client takes (RFC 9110, section 12.5.3)."""

from collections.abc import Iterable


def best_encoding(accepted: str, offered: Iterable[str]) -> str | None:
    """The first of `offered` that the header `Accept-Encoding` names with a weight that is not zero."""
    weights = dict(_name_and_weight(part) for part in accepted.lower().split(","))
    return next((name for name in offered if weights.get(name, weights.get("*", 0.0)) > 0), None)


def _name_and_weight(part: str) -> tuple[str, float]:
    name, _, parameters = part.partition(";")
    key, _, value = parameters.partition("=")
    if key.strip() != "q":
        return name.strip(), 1.0
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), 0.0
