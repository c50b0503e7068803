from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tarsy_contracts.display import LIMIT_BYTES, display_cut
from tarsy_contracts.events import SessionStarted
from tarsy_timeline.projection import ORDER, Batch, statements
from tarsy_timeline.storable import storable_json

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]


def test_given_a_start_then_the_alert_and_the_plan_are_kept(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    (start, row), change = statements(session.recorded(1))

    assert start == "start_session"
    assert row[1:4] == ("pod-crash", f"Crash {session.id}", None)
    assert row[8] == [{"agents": [{"name": "looker", "llm_provider": "scripted"}]}]
    assert change == ("change_session", (session.id, "in_progress", None, None, None))


def test_given_an_event_of_an_unknown_type_then_only_the_chain_moves(new_session: NewSession, story: Story) -> None:
    session = story(new_session())
    batch = Batch()

    batch.add(replace(session.recorded(1), event=None))

    assert [name for name, _ in batch.in_order()] == ["move_session"]


def test_given_a_whole_session_then_one_row_moves_it_and_each_statement_runs_once(
    new_session: NewSession, story: Story
) -> None:
    session = story(new_session())
    batch = Batch()

    for number in range(1, len(session.records) + 1):
        batch.add(session.recorded(number))

    names = [name for name, _ in batch.in_order()]
    assert names == list(ORDER)
    rows = dict(batch.in_order())
    assert [row[2] for row in rows["move_session"]] == [13]
    assert [row[1] for row in rows["change_session"]] == ["in_progress", "completed"]


def test_every_type_of_event_that_people_see_fits_a_statement(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    seen = {name for n in range(1, len(session.records) + 1) for name, _ in statements(session.recorded(n))}

    assert seen == set(ORDER) - {"move_session"}
    assert isinstance(session.recorded(1).event, SessionStarted)


def test_long_content_is_cut_after_a_line_and_says_so(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    [(name, row)] = statements(session.recorded(8))

    assert name == "end_timeline_event"
    content, metadata = row[2], row[3]
    assert isinstance(content, str)
    assert isinstance(metadata, dict)
    assert len(content.encode()) <= LIMIT_BYTES
    assert content.startswith("NUL\ufffd\nline\n")
    assert content.endswith("line\n")
    assert metadata["display_cut"] is True


def test_a_long_line_is_cut_between_characters() -> None:
    text, cut = display_cut("ü" * LIMIT_BYTES)

    assert cut
    assert text == "ü" * (LIMIT_BYTES // 2)


def test_what_postgres_cannot_hold_is_replaced() -> None:
    assert storable_json({"a\x00": ["\ud800", 1, None]}) == {"a\ufffd": ["?", 1, None]}
