"""The sweep of a session whose model searches, reads a page and runs code: at every event somebody dies."""

from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.citations import list_cited_sources
from tarsy_testing.simulation.investigation import PAGES, PLANTED, SEARCHING_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open
from tarsy_verification.session_log import SessionLog

ANALYSIS = "Its limit is too low [source 2]."


def played(*deaths: Death, cancelled_at: int | None = None) -> Played:
    return play(*deaths, alert=SEARCHING_ALERT, cancelled_at=cancelled_at)


@cache
def undisturbed() -> Played:
    return played()


def numbered(log: SessionLog) -> list[tuple[str, list[tuple[str, int]]]]:
    """What the model did with its own tools, and the pages of each with their numbers."""
    calls = [call for answer in log.events(e.LlmCallCompleted) for call in answer.native_calls]
    return [(call.tool, [(page.url, page.number) for page in call.sources]) for call in calls]


FOUND = [
    ("google_search", [(PAGES[0], 1), (PAGES[1], 2)]),
    ("url_context", [(PAGES[1], 2)]),
    ("code_execution", []),
]


def plain(log: SessionLog) -> str:
    return "\n".join(record.event.model_dump_json() for record in log.accepted if record.event is not None)


def told(log: SessionLog) -> bool:
    """Everything about its tools is on record, once, and without the secret."""
    (completed,) = log.events(e.SessionCompleted)
    return (
        numbered(log) == FOUND
        and completed.final_analysis == ANALYSIS
        and [page.number for page in completed.sources] == [2]
        and PLANTED not in plain(log)
    )


def test_a_model_searches_reads_runs_code_and_cites_its_sources() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert told(one.log)
    first, *_ = one.log.events(e.LlmCallCompleted)
    assert first.text == "It was killed [source 2]. I look."
    assert list(list_cited_sources(ANALYSIS)) == [2]
    assert first.native_calls[2].output.endswith("1024")


def every_death() -> list[Death]:
    return sampled([death for batch in undisturbed().batches for death in deaths_at(batch[0])])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_each_source_has_its_number_and_is_recorded_once(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) + record_faults(one) == []
    assert told(one.log)


def test_whoever_cancels_while_it_searches_ends_the_session() -> None:
    one = played(cancelled_at=undisturbed().batches[2][0])
    assert [*one.complaints, *still_open(one.log)] == []
    assert one.log.types[-1] == "session.cancelled"
