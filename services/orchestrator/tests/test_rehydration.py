"""Reading of a session again, from the spans of the log in which its lives lie."""

from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.log.heads import MOST_SPANS
from tarsy_contracts.events.heads import Span
from tarsy_orchestrator.partition.memory.rehydration import LEAST_LIMIT_SECONDS, limit_seconds
from tarsy_orchestrator.partition.memory.session_table import SessionPlace

A_DAY_OF_OTHERS = 100_000
READ_IN_A_SECOND = 50_000
"""By a machine that does nothing else: 13 million records take it four minutes."""


def place_of(*spans: Span) -> SessionPlace:
    return SessionPlace(spans, LastAccepted("last", 1), decided=0)


def test_a_session_that_is_asked_each_day_has_the_time_that_its_spans_take() -> None:
    """Only 64 of 200 lives have a span of their own: most spans hold the days in between, too."""
    days = 200 - MOST_SPANS
    everything = Span(first=0, last=days * A_DAY_OF_OTHERS)
    assert limit_seconds(place_of(everything)) > 2 * days * A_DAY_OF_OTHERS / READ_IN_A_SECOND


def test_reading_has_a_limit_however_little_there_is() -> None:
    assert limit_seconds(place_of()) == LEAST_LIMIT_SECONDS
