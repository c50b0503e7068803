"""What a person sees of a session."""

import io
from typing import Any

import pytest
from rich.console import Console

from tarsy_cli.watch.screen import Screen

type Payload = dict[str, Any]

CALL: Payload = {
    "server_name": "kubernetes",
    "tool_name": "pods_list",
    "arguments": {"namespace": "shop"},
    "repeatable": True,
}


class Watched:
    """A screen of 60 columns, and what stands on it."""

    def __init__(self) -> None:
        self._out = io.StringIO()
        self._console = Console(file=self._out, width=60, force_terminal=True, color_system=None, highlight=False)
        self._screen = Screen(self._console)
        self.interrupted = self._screen.show_interruption

    def show(self, *payloads: Payload) -> None:
        for payload in payloads:
            self._screen.show(payload)

    @property
    def text(self) -> str:
        return self._out.getvalue()


@pytest.fixture
def screen() -> Watched:
    return Watched()


def created(id: str, kind: str, content: str = "", *, status: str = "completed", **metadata: Any) -> Payload:
    message = {"type": "timeline_event.created", "event_id": id, "event_type": kind}
    return message | {"status": status, "content": content, "metadata": metadata}


def completed(id: str, kind: str, content: str = "", *, status: str = "completed", **metadata: Any) -> Payload:
    return created(id, kind, content, status=status, **metadata) | {"type": "timeline_event.completed"}


def streams(id: str, kind: str = "llm_response") -> Payload:
    return created(id, kind, status="streaming")


def chunk(id: str, delta: str) -> Payload:
    return {"type": "stream.chunk", "event_id": id, "delta": delta}


def reset(id: str) -> Payload:
    return {"type": "stream.reset", "event_id": id}


ENDED: Payload = {"type": "session.status", "status": "completed"}


def test_what_streams_is_shown_as_it_comes_and_not_again_at_its_end(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is the "))
    assert "· says\nIt is the" in screen.text
    screen.show(chunk("1", "release."), completed("1", "llm_response", "It is the release."), ENDED)
    assert screen.text.count("release.") == 1


def test_the_end_of_a_thought_does_not_cut_the_answer_that_streams(screen: Watched) -> None:
    screen.show(streams("1", "llm_thinking"), chunk("1", "Hm. "), streams("2"), chunk("2", "It is "))
    screen.show(completed("1", "llm_thinking", "Hm."), completed("2", "llm_response", "It is memory."), ENDED)
    assert "· says\nIt is memory.\n" in screen.text


def test_lines_break_between_words(screen: Watched) -> None:
    words = [f"word{number}" for number in range(40)]
    screen.show(streams("1"), *(chunk("1", f"{word} ") for word in words), ENDED)
    lines = screen.text.splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(line.strip() for line in lines[1:-1]).split() == words


def test_control_characters_from_outside_never_reach_the_terminal(screen: Watched) -> None:
    evil = "\x1b[2J\x07\x9b31m\u202egone\r"
    call = CALL | {"tool_name": evil, "arguments": {evil: evil}}
    screen.show(
        streams("1"),
        chunk("1", evil),
        created("2", "llm_tool_call", status="streaming", **call),
        completed("2", "llm_tool_call", evil, outcome=evil, lines=1, size=9),
        created("3", "llm_thinking", evil),
        created("4", evil, evil),
        created("5", "final_analysis", evil),
        {"type": "stage.status", "stage_id": "s", "stage_name": evil, "status": evil, "error_message": evil},
        {"type": "session.status", "status": "failed", "error_message": evil},
    )
    screen.interrupted(evil)
    assert screen.text.count("gone") >= 10
    assert not set("\x1b\x07\x9b\u202e\r") & set(screen.text)


def test_markup_is_text(screen: Watched) -> None:
    screen.show(created("1", "llm_thinking", "[red]not red[/red] [/]"), created("2", "mcp_tool_summary", "[link=x]"))
    assert "[red]not red[/red] [/]" in screen.text
    assert "[link=x]" in screen.text


def test_a_summary_says_its_model_and_what_it_saved(screen: Watched) -> None:
    sizes: Payload = {"model": "gemini-3.7", "tokens_before": 33_000, "tokens_after": 1_200}
    screen.show(created("1", "mcp_tool_summary", "It restarts.", **sizes), ENDED)
    assert "It restarts.\n(gemini-3.7: about 33,000 tokens became 1,200)\n" in screen.text


def test_a_summary_that_was_reused_says_so_instead(screen: Watched) -> None:
    sizes: Payload = {"model": "gemini-3.7", "tokens_before": 33_000, "tokens_after": 1_200, "reused_from": "c"}
    screen.show(created("1", "mcp_tool_summary", "It restarts.", **sizes), ENDED)
    assert "It restarts.\n(same lines as above: summary reused, no model was asked)\n" in screen.text


def test_a_summary_whose_size_nobody_knows_says_nothing_of_it(screen: Watched) -> None:
    screen.show(created("1", "mcp_tool_summary", "It restarts.", model="m", tokens_before=None), ENDED)
    assert "token" not in screen.text


def test_a_history_that_is_sent_twice_is_shown_once(screen: Watched) -> None:
    history: list[Payload] = [
        {"type": "stage.status", "stage_id": "s", "stage_name": "investigation", "status": "started"},
        created("1", "llm_thinking", "a thought"),
        created("2", "llm_tool_call", "six pods", **CALL, outcome="ok", lines=1, size=8),
        {"type": "session.status", "status": "in_progress"},
    ]
    screen.show(*history)
    first = screen.text
    assert "→ kubernetes.pods_list(namespace=shop)\n← kubernetes.pods_list: ok, 1 line, 8 bytes\n   six pods" in first
    screen.show(*history)
    assert screen.text == first


def test_an_answer_that_begins_again_is_told_from_its_beginning(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is the old "), reset("1"), chunk("1", "It is "), chunk("1", "new "))
    assert "(begins again: the process that wrote it was replaced)\n· says\nIt is new" in screen.text


def test_a_text_that_is_told_again_as_it_was_goes_on_where_it_was(screen: Watched) -> None:
    """The gateway does so when the log announces a summary that streams already."""
    screen.show(streams("1"), chunk("1", "It is "), reset("1"), chunk("1", "It is "), chunk("1", "memory "))
    assert screen.text.count("It is") == 1
    assert "begins again" not in screen.text


def test_after_a_lost_connection_a_text_goes_on_where_it_was_cut(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is "))
    screen.interrupted("gone")
    screen.interrupted("still gone")
    screen.show(streams("1"), chunk("1", "It is the release "))
    assert screen.text.count("It is") == 1
    assert screen.text.count("the connection was lost") == 1
    assert "the release" in screen.text


def test_a_text_that_ended_while_the_connection_was_lost_is_shown_to_its_end(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is "))
    screen.interrupted("gone")
    screen.show(created("1", "llm_response", "It is the release."), ENDED)
    assert screen.text.count("It is") == 1
    assert "the release." in screen.text


def test_a_text_that_ended_otherwise_than_it_streamed_is_shown_as_it_ended(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is memory"), completed("1", "llm_response", "It is the disk."), ENDED)
    assert "It is the disk." in screen.text


def test_an_answer_that_came_to_nothing_says_so(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is "), completed("1", "llm_response", status="failed", discarded=True))
    assert "(this attempt came to nothing)" in screen.text


def test_a_final_analysis_that_was_read_as_it_streamed_is_not_printed_again(screen: Watched) -> None:
    screen.show(streams("1"), chunk("1", "It is memory. "), completed("1", "llm_response", "It is memory."))
    screen.show(created("2", "final_analysis", "It is memory."), ENDED)
    assert screen.text.count("It is memory.") == 1
    assert "final analysis" in screen.text


def test_a_final_analysis_that_was_not_read_yet_is_printed_once(screen: Watched) -> None:
    screen.show(created("1", "llm_response", "It is **memory**."), created("2", "final_analysis", "It is **memory**."))
    screen.show(ENDED)
    assert screen.text.count("It is memory.") == 1
    assert "says" not in screen.text


def test_an_answer_that_is_not_the_final_analysis_is_shown(screen: Watched) -> None:
    screen.show(created("1", "llm_response", "I will look."), created("2", "llm_thinking", "hm"), ENDED)
    assert screen.text.index("I will look.") < screen.text.index("hm")


def test_of_a_long_result_the_beginning_is_shown_and_how_much_there_is(screen: Watched) -> None:
    content = "\n".join(f"line {number}" for number in range(300))
    screen.show(created("1", "llm_tool_call", content, **CALL, outcome="ok", lines=100_000, size=10_832_961))
    assert "ok, 100,000 lines, 10.8 MB" in screen.text
    assert "line 11\n   … 99,988 more lines" in screen.text
    assert "line 12" not in screen.text


def test_a_long_result_says_which_command_shows_it_whole(screen: Watched) -> None:
    call = created("1", "llm_tool_call", status="streaming", **CALL, call_id="1a2b3c4d-aaaa")
    done = completed("1", "llm_tool_call", "x\n" * 20, outcome="ok", lines=20, size=40)
    screen.show(call, done | {"session_id": "abc"})
    assert "… 8 more lines: tarsy result abc 1a2b3c4d" in screen.text


def test_lines_that_their_writer_wrapped_for_a_wider_terminal_are_joined(screen: Watched) -> None:
    wide = "the pod of the new release restarts again and again, the pods of the old release are healthy,"
    text = f"{wide}\nso it is not the node.\n\n- {wide}\n  as before\n- a list\nof\nshort lines"
    screen.show(created("1", "llm_thinking", text))
    assert "healthy,\nso it" not in screen.text
    assert "healthy, so it is not the node.\n\n- the pod" in screen.text.replace("\nare healthy", " are healthy")
    assert "\n- a list\nof\nshort lines\n" in screen.text


ERASED = "\r\x1b[2K"


def progress(id: str, text: str) -> Payload:
    return {"type": "stream.progress", "event_id": id, "text": text}


def test_the_progress_of_a_call_is_one_line_that_is_replaced_and_gone_when_something_is_said(screen: Watched) -> None:
    call = created("1", "llm_tool_call", status="streaming", **CALL)
    screen.show(call, progress("1", "1 of 9: a\nb"), progress("1", "x" * 200))
    screen.show(completed("1", "llm_tool_call", "done", outcome="ok", lines=1, size=4), progress("1", "too late"))
    assert f"… kubernetes.pods_list: 1 of 9: a b{ERASED}… kubernetes.pods_list: xxx" in screen.text
    assert f"x…{ERASED}← kubernetes.pods_list: ok" in screen.text
    assert max(map(len, screen.text.split(ERASED)[1].splitlines())) < 60
    assert "too late" not in screen.text


def test_progress_does_not_cut_a_text_that_streams_and_is_not_told_of_what_nobody_knows(screen: Watched) -> None:
    call = created("1", "llm_tool_call", status="streaming", **CALL)
    screen.show(call, streams("2"), chunk("2", "It is "), progress("1", "1 of 9"), progress("7", "2 of 9"))
    screen.show(chunk("2", "memory."), completed("2", "llm_response", "It is memory."), progress("7", "3 of 9"), ENDED)
    assert "It is memory.\n" in screen.text
    assert "of 9" not in screen.text


def test_in_a_file_progress_is_not_told() -> None:
    out = io.StringIO()
    screen = Screen(Console(file=out, width=60))
    screen.show(created("1", "llm_tool_call", status="streaming", **CALL))
    screen.show(progress("1", "1 of 9"))
    assert "of 9" not in out.getvalue()


def test_a_chat_stands_below_the_investigation_and_none_of_its_answers_is_the_analysis(screen: Watched) -> None:
    chat = {"type": "stage.status", "stage_id": "2", "stage_name": "Chat", "stage_index": 2, "status": "completed"}
    screen.show(
        {"type": "stage.status", "stage_id": "1", "stage_name": "look", "stage_index": 1, "status": "completed"},
        chat | {"stage_type": "chat"},
        {"type": "execution.status", "stage_id": "2", "execution_id": "x", "status": "completed"},
        created("1", "llm_response", "It is memory."),
        created("2", "final_analysis", "It is memory."),
        created("3", "user_question", "Since when?", author="ann", stage_id="2"),
        created("4", "llm_response", "Since 03:00.") | {"execution_id": "x"},
        created("5", "final_analysis", "Since 03:00.") | {"execution_id": "x"},
        ENDED | {"final_analysis": "It is memory."},
    )
    parts = [
        "■ stage look: completed",
        "■ stage Chat: started",
        "· ann asks\nSince when?",
        "· says\nSince 03:00.",
        "final analysis",
        "■ stage Chat: completed",
    ]
    places = [screen.text.index(part) for part in parts]
    assert places == sorted(places)
    assert screen.text.count("Since 03:00.") == 1


def test_a_call_that_waits_for_a_person_says_how_to_decide_and_then_what_was_decided(screen: Watched) -> None:
    about = {
        "server_name": "kubernetes", "tool_name": "pods_delete", "call_id": "0a3b7c1e-1111",
        "expires_at": "2026-11-24T19:30:00.000Z",
    }  # fmt: skip
    screen.show(created("a", "approval", "It waits.", status="streaming", **about) | {"session_id": "s1"})
    said = " ".join(screen.text.split())
    assert "kubernetes.pods_delete awaits approval until 2026-11-24T19:30:00.000Z" in said
    assert "tarsy approve s1 0a3b7c1e" in said
    screen.show(completed("a", "approval", "ann denied the call. Scale it instead."))
    assert "ann denied the call. Scale it instead." in " ".join(screen.text.split())


def test_a_call_stands_with_the_number_by_which_texts_cite_it(screen: Watched) -> None:
    screen.show(created("1", "llm_tool_call", "six pods", **CALL, number=7, outcome="ok", lines=1, size=8))
    assert "→ kubernetes.pods_list(namespace=shop)  [call 7]\n" in screen.text
