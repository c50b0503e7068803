"""Columns that statements write, as the record reads them from queries.sql."""

from tarsy_timeline.database.sql import QUERIES, replaced_columns, written_columns


def test_an_update_names_the_column_of_each_argument_its_key_among_them() -> None:
    assert written_columns(QUERIES["ask_model"]) == {"iteration": 1, "asked_at": 2, "execution_id": 0}


def test_an_argument_may_go_to_two_columns() -> None:
    written = written_columns(QUERIES["create_timeline_event"])
    assert (written["event_id"], written["created_at"], written["updated_at"], written["number"]) == (0, 8, 8, 9)


def test_a_column_that_is_more_than_an_argument_is_not_among_them() -> None:
    assert "metadata" not in written_columns(QUERIES["end_timeline_event"])


def test_an_insert_names_what_it_replaces() -> None:
    assert replaced_columns(QUERIES["change_stage"]) == ["status", "error_message", "completed_at", "number"]
