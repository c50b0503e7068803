"""A reply on a terminal: of all that a session tells, only what belongs to it; and what came of it."""

import io
from typing import Any

import pytest
from rich.console import Console

from tarsy_cli.chat.reply_screen import ReplyScreen
from tarsy_contracts.api.chat import ChatMessageSent

type Payload = dict[str, Any]

SENT = ChatMessageSent(session_id="s", chat_id="c", message_id="m", stage_id="reply", request_id="r", accepted=True)


class Shown:
    """A screen for the reply `reply`, and what stands on it."""

    def __init__(self) -> None:
        self._out = io.StringIO()
        console = Console(file=self._out, width=60, force_terminal=True, color_system=None, highlight=False)
        self.screen = ReplyScreen(console, SENT)

    def show(self, *payloads: Payload) -> None:
        for payload in payloads:
            self.screen.show(payload)

    @property
    def text(self) -> str:
        return self._out.getvalue()


@pytest.fixture
def shown() -> Shown:
    return Shown()


def stage(status: str, id: str = "reply", error: str | None = None) -> Payload:
    return {"type": "stage.status", "stage_id": id, "stage_name": "Chat", "status": status, "error_message": error}


def execution(id: str = "answers", stage_id: str = "reply") -> Payload:
    return {"type": "execution.status", "stage_id": stage_id, "execution_id": id, "status": "active"}


def event(id: str, kind: str, content: str, *, execution: str | None = "answers", **metadata: Any) -> Payload:
    about = {"event_id": id, "event_type": kind, "execution_id": execution, "metadata": metadata}
    return {"type": "timeline_event.created", "status": "completed", "content": content} | about


def streams(id: str) -> Payload:
    return event(id, "llm_response", "") | {"status": "streaming"}


def chunk(id: str, delta: str) -> Payload:
    return {"type": "stream.chunk", "event_id": id, "delta": delta}


ASKED = event("q", "user_question", "Since when?", execution=None, author="ann", message_id="m", stage_id="reply")
HISTORY_ENDS: Payload = {"type": "session.status", "status": "completed"}
OPEN = (HISTORY_ENDS, ASKED, stage("started"), execution())


def test_what_it_streams_is_shown_as_it_comes_and_its_end_says_what_came_of_it(shown: Shown) -> None:
    shown.show(*OPEN, streams("a"), chunk("a", "Since 03:00, "))
    assert "· says\nSince 03:00," in shown.text
    assert not shown.screen.ended
    shown.show(chunk("a", "as before."), event("a", "llm_response", "Since 03:00, as before."))
    shown.show(event("f", "final_analysis", "Since 03:00, as before."), stage("completed"))
    assert shown.screen.ended
    assert shown.text.count("as before.") == 1
    reply = shown.screen.reply("Since when?")
    assert (reply.status, reply.answer, reply.author, reply.error) == (
        "completed", "Since 03:00, as before.", "ann", None
    )  # fmt: skip


def test_what_belongs_to_the_investigation_or_to_another_reply_is_not_shown(shown: Shown) -> None:
    shown.show(stage("completed", "investigation"), execution("finds", "investigation"))
    shown.show(event("x", "llm_response", "An old thought.", execution="finds"), *OPEN)
    shown.show(
        stage("started", "other"), execution("other", "other"), event("y", "llm_response", "no", execution="other")
    )
    shown.show(event("z", "final_analysis", "not mine", execution="other"), stage("completed", "other"))
    assert shown.text == ""
    assert not shown.screen.ended


@pytest.mark.parametrize(("now", "times"), [("disks", 0), ("disks, pods", 1)])
def test_skills_are_told_again_where_they_have_changed_since_the_reply_before(
    shown: Shown, now: str, times: int
) -> None:
    shown.show(stage("completed", "other"), execution("other", "other"))
    shown.show(event("s", "skill_loaded", "disks", execution="other"), *OPEN)
    shown.show(event("t", "skill_loaded", now), event("a", "llm_response", "Since 03:00."))
    assert shown.text.count("skills: ") == times


def test_a_reply_that_ended_before_anybody_looked_is_shown_whole_from_the_history(shown: Shown) -> None:
    """There its end stands before what happened in it."""
    shown.show(stage("completed"), execution(), ASKED)
    shown.show(event("a", "llm_response", "Since 03:00."), event("f", "final_analysis", "Since 03:00."))
    assert not shown.screen.ended
    shown.show(HISTORY_ENDS)
    assert shown.screen.ended
    assert shown.text == "· says\nSince 03:00.\n"
    assert shown.screen.reply("Since when?").answer == "Since 03:00."


def test_a_lost_connection_repeats_nothing_and_its_history_is_read_to_the_end(shown: Shown) -> None:
    shown.show(*OPEN, streams("a"), chunk("a", "Since "))
    shown.screen.show_interruption("away")
    shown.screen.show_interruption("away")
    assert shown.text.count("the connection was lost, trying again: away") == 1
    shown.show(stage("completed"), execution(), ASKED, event("a", "llm_response", "Since 03:00."))
    assert not shown.screen.ended
    shown.show(event("f", "final_analysis", "Since 03:00."), HISTORY_ENDS)
    assert shown.screen.ended
    assert shown.text.endswith("· says\n03:00.\n")


def test_a_reply_that_failed_says_why(shown: Shown) -> None:
    shown.show(*OPEN, stage("failed", error="no such key"))
    reply = shown.screen.reply("Since when?")
    assert (reply.status, reply.answer, reply.error) == ("failed", None, "no such key")


def test_an_answer_that_is_shown_in_part_is_said_to_be(shown: Shown) -> None:
    shown.show(*OPEN, event("f", "final_analysis", "Much", display_cut=True), stage("completed"))
    assert shown.screen.reply("Since when?").answer_cut
    assert "Much" in shown.text
