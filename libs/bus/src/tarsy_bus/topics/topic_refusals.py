"""Refusals of a broker to make topics, in the broker's own words."""

from collections.abc import Sequence

from aiokafka.errors import InvalidConfigurationError, PolicyViolationError, for_code

from tarsy_bus.topics.topic_check import OPTIONAL

type Refusal = tuple[str, int, str | None]
"""Topic, code of the error, and the broker's sentence."""

OF_SETTINGS = (InvalidConfigurationError.errno, PolicyViolationError.errno)


def describe_refusals(refused: Sequence[Refusal]) -> str:
    """Each topic with the broker's sentence; and which settings can be left out, where one of them may be why."""
    described = "; ".join(_describe_refusal(*one) for one in refused)
    if not any(code in OF_SETTINGS for _, code, _ in refused):
        return described
    return f"{described}. `tarsy topics apply --without NAME` leaves a setting out: {', '.join(OPTIONAL)}"


def _describe_refusal(topic: str, code: int, sentence: str | None) -> str:
    name = for_code(code).__name__
    return f"topic {topic}: {name}: {sentence.rstrip('.')}" if sentence else f"topic {topic}: {name}"
