from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any, get_type_hints

import pytest
from pydantic import JsonValue

from tarsy_contracts.events import (
    AlertRepeated,
    MemoryEdited,
    MemoryErased,
    MemoryLearned,
    MemoryReinforced,
    PhaseCompleted,
    PhaseRequested,
    QuestionAsked,
    ReviewChanged,
    SessionDeleted,
)
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.memory import Memory
from tarsy_contracts.timeline.display import LIMIT_BYTES, display_cut
from tarsy_testing.story.whole_chain import ALERT, whole_chain
from tarsy_timeline.database.postgres_text import to_postgres_json
from tarsy_timeline.projection.projection import Batch, row_changes
from tarsy_timeline.rows import row_changes as r
from tarsy_timeline.rows.column_texts import ID, storable
from tarsy_timeline.rows.row_changes import RowChange
from tarsy_timeline.rows.row_statements import STATEMENTS

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]

NOT_OF_A_STORY = (
    r.ProviderChange, r.SessionRemoval, r.UnprojectedRecord, r.ChatStart, r.ChatMessageCount, r.AlertCount,
    r.SessionAlias, r.ReviewUpdate, r.ReviewAct, r.ScoreStart, r.ScoreUpdate, r.ScoreEnd, r.MemoryStart,
    r.MemoryUpdate, r.MemoryErasure, r.MemoryJudgement,
)  # fmt: skip
QUESTION = QuestionAsked(
    request_id="r", chat_id="c", message_id="m", stage_id="s", number=1, author="ann", content="Since when?"
)


def changes_of(session: Any, number: int) -> dict[type[RowChange], RowChange]:
    """Of the event `number`, by their kind."""
    return {type(change): change for change in row_changes(session.recorded(number))}


def test_given_a_start_then_the_alert_and_the_plan_are_kept(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    update, start = row_changes(session.recorded(1))

    assert start == r.SessionStart(
        session_id=session.id, alert_type="pod-crash", title=f"Crash {session.id}", severity=None, source="api",
        author="ann", runbook_url=None, chain_id="default", alert_data="pod api-7 crashes 50% of the time",
        scripted=True, priority=2, mcp_selection=None, total_stages=1, has_parallel_stages=False, chat_enabled=True,
        created_at=session.records[0][0].time, cluster=None, namespace=None, workload=None, parent_id=None,
        llm_provider=None, slack_message_fingerprint=None, labels=[], chosen_by="", unmatched=False,
        session_labels=[],
    )  # fmt: skip
    assert update == r.SessionUpdate(session.id, "pending", None, None, None, None, None, None, None, [])


def test_given_the_first_stage_then_the_session_has_begun(new_session: NewSession, story: Story) -> None:
    session = story(new_session())
    began = session.records[1][0].time

    changes = changes_of(session, 2)

    begun = r.SessionUpdate(session.id, "in_progress", None, None, None, None, began, None, None, [])
    assert changes[r.SessionUpdate] == begun
    assert changes[r.StagePlan] == r.StagePlan(f"{session.id}/st", "investigation", 0, 1, None, None, None)


def test_given_a_whole_chain_then_it_says_how_many_stages_there_will_be(new_session: NewSession) -> None:
    session = new_session()
    session.add(whole_chain(session.id)[0])

    start = changes_of(session, 1)[r.SessionStart]

    assert isinstance(start, r.SessionStart)
    assert (start.total_stages, start.has_parallel_stages, start.chat_enabled) == (4, True, True)
    assert (start.priority, start.mcp_selection) == (0, ALERT.mcp and ALERT.mcp.model_dump(mode="json"))


def test_given_an_event_of_an_unknown_type_then_only_the_chain_moves(new_session: NewSession, story: Story) -> None:
    session = story(new_session())
    batch = Batch()

    batch.add(replace(session.recorded(1), event=None))

    assert [statement.name for statement, _ in batch.in_order()] == ["move_session"]


def test_given_a_whole_session_then_one_row_moves_it_and_each_statement_runs_once(
    new_session: NewSession, story: Story
) -> None:
    session = story(new_session())
    batch = Batch()

    for number in range(1, len(session.records) + 1):
        batch.add(session.recorded(number))

    found = {type(changes[0]): changes for _, changes in batch.in_order()}
    assert list(found) == [kind for kind in STATEMENTS if kind not in NOT_OF_A_STORY]
    assert [change.last_number for change in found[r.SessionMove] if isinstance(change, r.SessionMove)] == [13]
    statuses = [change.status for change in found[r.SessionUpdate] if isinstance(change, r.SessionUpdate)]
    assert statuses == ["pending", "in_progress", "completed"]


REVIEWED = (
    PhaseRequested(phase="scoring", phase_id="p", number=1),
    PhaseCompleted(phase="scoring", phase_id="p", stage_id="", status="failed", error="no model"),
    ReviewChanged(
        request_id="r", number=1, author="ann", action="claim", from_status="needs_review", to_status="in_progress"
    ),
)
TAUGHT = (
    MemoryLearned(memory_id="m", phase_id="p", memory=Memory(text="Look at the quota first.")),
    MemoryReinforced(memory_id="m", learned_in="s", phase_id="p"),
    MemoryEdited(memory_id="m", request_id="r", author="ann", memory=Memory(text="Look at the quota.")),
    MemoryErased(memory_id="m", request_id="q", author="ann"),
)


def events_of_all_kinds(new_session: NewSession, story: Story) -> list[RecordedEvent]:
    chain, asked = new_session(), new_session()
    repeated = AlertRepeated(input_id="i", source="api", joined=("another",))
    sessions = (
        story(new_session()),
        chain.add(*whole_chain(chain.id)),
        asked.add(repeated, QUESTION, *REVIEWED, *TAUGHT, SessionDeleted(request_id="r", author="ann")),
    )
    return [session.recorded(number) for session in sessions for number in range(1, len(session.records) + 1)]


def test_every_change_has_a_statement_and_an_event(new_session: NewSession, story: Story) -> None:
    records = events_of_all_kinds(new_session, story)
    seen = {type(change) for record in records for change in row_changes(record)}
    assert seen == set(STATEMENTS) - {r.SessionMove, r.UnprojectedRecord}
    assert set(STATEMENTS) == set(RowChange.__value__.__args__)


def test_a_row_is_made_before_the_same_event_changes_it(new_session: NewSession, story: Story) -> None:
    """A record that cannot be written whole is written change by change, in this order."""
    order = [[type(change) for change in row_changes(one)] for one in events_of_all_kinds(new_session, story)]
    both = [kinds for kinds in order if r.StagePlan in kinds]
    assert both
    assert all(kinds.index(r.StageUpdate) < kinds.index(r.StagePlan) for kinds in both)


def test_a_question_makes_the_chat_counts_and_is_shown(new_session: NewSession) -> None:
    session = new_session()
    session.add(QUESTION)
    made, counted, shown = row_changes(session.recorded(1))
    assert made == r.ChatStart(session.id, "c")
    assert counted == r.ChatMessageCount(session.id)
    assert isinstance(shown, r.TimelineStart)


def test_long_content_is_cut_after_a_line_and_says_so(new_session: NewSession, story: Story) -> None:
    session = story(new_session())

    row = changes_of(session, 8)[r.TimelineEnd]

    assert isinstance(row, r.TimelineEnd)
    content, metadata = row.content, row.metadata
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


ODD, LONG = "a\x00", "l" * 501
SAMPLES: dict[object, tuple[object, object]] = {
    str: (ODD, "a\ufffd"),
    str | None: (ODD, "a\ufffd"),
    list[str]: ([ODD], ["a\ufffd"]),
    JsonValue: ({ODD: ODD}, {"a\ufffd": "a\ufffd"}),
}


@pytest.mark.parametrize("kind", STATEMENTS)
def test_each_text_of_a_change_becomes_one_that_postgres_can_hold(kind: type[RowChange]) -> None:
    """Names of things are not replaced: they would name something else."""
    hints = get_type_hints(kind)
    named = {name for name, hint in get_type_hints(kind, include_extras=True).items() if ID in metadata_of(hint)}
    asked: dict[str, Any] = {name: SAMPLES.get(hint, (None, None))[0] for name, hint in hints.items()}
    bound = dict(zip(hints, storable(kind(**asked)), strict=True))
    for name, hint in hints.items():
        assert bound[name] == (asked[name] if name in named else SAMPLES.get(hint, (None, None))[1]), name


def metadata_of(hint: Any) -> tuple[object, ...]:
    return tuple(getattr(hint, "__metadata__", ()))


def test_text_of_an_index_is_cut() -> None:
    usage = r.ModelUsage("s", date(2026, 11, 29), LONG, 1, 0, 0, 0, 0, 0, 0)
    assert storable(usage).model == LONG[:500]
