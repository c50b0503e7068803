from typing import Any

from tarsy_contracts.api.sessions import SessionDetail, SessionStage
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_mcp_api.answers import LONGEST_CONTENT, reply_of, timeline_part

AT = "2026-11-26T03:00:00.000Z"


def session(**stage: Any) -> SessionDetail:
    """It is built without validation: a test names the fields that it is about."""
    fields: dict[str, Any] = {"id": "s", "status": "completed", "stages": ()}
    if stage:
        stage |= {"executions": (), "error_message": None}
        fields["stages"] = (SessionStage.model_construct(**stage),)
    return SessionDetail.model_construct(**fields)


def event(number: int, content: str, **more: Any) -> TimelineEvent:
    fields: dict[str, Any] = {
        "id": f"e{number}", "session_id": "s", "stage_id": None, "execution_id": None, "sequence_number": number,
        "event_type": "llm_response", "status": "completed", "content": content, "metadata": {}, "created_at": AT,
        "updated_at": AT, "number": number,
    }  # fmt: skip
    return TimelineEvent.model_validate(fields | more)


def test_a_long_timeline_comes_in_parts_that_make_up_the_whole() -> None:
    events = tuple(event(number, "x" * 3_000) for number in range(1, 51))
    read, after = [], 0
    for _ in range(10):
        part = timeline_part(session(), events, after)
        assert sum(len(item.content) for item in part.items) <= 40_000
        read += [item.sequence_number for item in part.items]
        if part.next_after is None:
            break
        after = part.next_after
    assert read == list(range(1, 51))


def test_a_content_that_is_too_long_is_cut_and_says_so() -> None:
    long, short, cut_before = timeline_part(
        session(),
        (event(1, "x" * (LONGEST_CONTENT + 1)), event(2, "x"), event(3, "x", metadata={"display_cut": True})),
        0,
    ).items
    assert (len(long.content), long.cut, short.cut, cut_before.cut) == (LONGEST_CONTENT, True, False, True)


def test_a_reply_is_that_of_its_stage() -> None:
    events = (
        event(1, "The investigation's.", event_type="final_analysis", stage_id="one"),
        event(2, "The reply's.", event_type="final_analysis", stage_id="two"),
    )
    assert reply_of(session(), events, "two").status == "pending"
    reply = reply_of(session(id="two", status="completed"), events, "two")
    assert (reply.status, reply.ended, reply.answer) == ("completed", True, "The reply's.")
    failed = reply_of(session(id="two", status="failed"), events[:1], "two")
    assert (failed.ended, failed.answer) == (True, None)
