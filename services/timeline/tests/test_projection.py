from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tarsy_contracts.display import LIMIT_BYTES, display_cut
from tarsy_contracts.events import AlertRepeated, QuestionAsked, SessionDeleted, SessionStarted
from tarsy_timeline.database.postgres_text import to_postgres_json
from tarsy_timeline.projection.projection import ORDER, Batch, statements
from tarsy_whole_chain import ALERT, whole_chain

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]

OF_CHATS = ("create_chat", "count_chat_message")
OF_REPEATS = ("count_alerts", "add_alias")
QUESTION = QuestionAsked(
    request_id="r", chat_id="c", message_id="m", stage_id="s", number=1, author="ann", content="Since when?"
)


def test_given_a_start_then_the_alert_and_the_plan_are_kept(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    (start, row), change = statements(session.recorded(1))

    assert start == "start_session"
    assert row[1:4] == ("pod-crash", f"Crash {session.id}", None)
    created_at = session.records[0][0].time
    assert row[7:16] == ("default", "pod api-7 crashes 50% of the time", True, 2, None, 1, False, True, created_at)
    assert row[16:] == (*(None,) * 6, [], "", False), "no facets, parent, LLM provider, message, labels, nor rule"
    assert change == ("change_session", (session.id, "pending", None, None, None, None, None, None, None, []))


def test_given_the_first_stage_then_the_session_has_begun(new_session: NewSession, story: Story) -> None:
    session = story(new_session())
    began = session.records[1][0].time

    rows = dict(statements(session.recorded(2)))

    assert rows["change_session"] == (session.id, "in_progress", None, None, None, None, began, None, None, [])
    assert rows["plan_stage"][1:] == ("investigation", 0, 1, None, None, None)


def test_given_a_whole_chain_then_it_says_how_many_stages_there_will_be(new_session: NewSession) -> None:
    session = new_session()
    session.add(whole_chain(session.id)[0])

    (_, row), _ = statements(session.recorded(1))

    assert row[10:15] == (0, ALERT.mcp and ALERT.mcp.model_dump(mode="json"), 4, True, True)


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
    assert names == [
        name for name in ORDER if name not in ("fall_back", "delete_session", "set_aside", *OF_CHATS, *OF_REPEATS)
    ]
    rows = dict(batch.in_order())
    assert [row[2] for row in rows["move_session"]] == [13]
    assert [row[1] for row in rows["change_session"]] == ["pending", "in_progress", "completed"]


def test_every_type_of_event_that_people_see_fits_a_statement(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    chain = new_session()
    chain.add(*whole_chain(chain.id))
    asked = new_session()
    repeated = AlertRepeated(input_id="i", source="api", joined=("another",))
    asked.add(repeated, QUESTION, SessionDeleted(request_id="r", author="ann"))
    records = [one.recorded(n) for one in (session, chain, asked) for n in range(1, len(one.records) + 1)]
    seen = {name for record in records for name, _ in statements(record)}

    assert seen == set(ORDER) - {"move_session", "set_aside"}
    assert isinstance(session.recorded(1).event, SessionStarted)


def test_a_question_makes_the_chat_counts_and_is_shown(new_session: NewSession) -> None:
    session = new_session()
    session.add(QUESTION)
    made, counted, (shown, _) = statements(session.recorded(1))
    assert made == ("create_chat", (session.id, "c"))
    assert counted == ("count_chat_message", (session.id,))
    assert shown == "create_timeline_event"


def test_long_content_is_cut_after_a_line_and_says_so(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    ended = dict(statements(session.recorded(8)))

    row = ended["end_timeline_event"]
    content, metadata = row[2], row[3]
    assert isinstance(content, str)
    assert isinstance(metadata, dict)
    beginning, note = content.rsplit("\n\n", 1)
    assert len(beginning.encode()) <= LIMIT_BYTES
    assert beginning.startswith("NUL\ufffd\nline\n")
    assert beginning.endswith("line")
    assert note.startswith("[TRUNCATED: Output exceeded storage display limit")
    assert metadata["display_cut"] is True


def test_a_long_line_is_cut_between_characters() -> None:
    text, cut = display_cut("ü" * LIMIT_BYTES)

    assert cut
    assert text == "ü" * (LIMIT_BYTES // 2)


def test_what_postgres_cannot_hold_is_replaced() -> None:
    assert to_postgres_json({"a\x00": ["\ud800", 1, None]}) == {"a\ufffd": ["?", 1, None]}
