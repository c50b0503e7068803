"""`tarsy chat`: what is asked, how often, what is shown, and how the command ends."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from threading import Event, Thread

import pytest
from pydantic import JsonValue
from rich.console import Console
from typer.testing import CliRunner, Result
from websockets.asyncio.server import ServerConnection, serve

from tarsy_cli.api import ApiAnswer, ApiError, UnavailableError, UnreachableError
from tarsy_cli.app import cli
from tarsy_cli.chat import asking
from tarsy_cli.chat.conversation import read_typed_questions
from tarsy_cli.chat.earlier import print_chat
from tarsy_cli.watch.session_messages import SessionView, follow
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_processes.ports import free_port

SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
STAMP = {"session_id": SESSION, "timestamp": "2026-11-23T10:00:00.000Z", "number": 1}
REFUSED = "A reply is being written: wait for its end, or cancel it."


@dataclass
class ChatApi:
    """An API that answers each question as it is told, and a gateway that has each reply in its history."""

    port: int = field(default_factory=free_port)
    ends: dict[str, str] = field(default_factory=dict)
    """How the reply to a question ends, where not well."""
    failures: list[ApiError] = field(default_factory=list)
    pending: int = 0
    """How often nobody has decided yet."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def post(self, url: str, body: JsonValue, *, idempotency_key: str) -> ApiAnswer:
        if url.endswith("/cancel"):
            self.cancelled.append(idempotency_key)
            return {}
        assert isinstance(body, dict)
        self.asked.append((str(body["content"]), idempotency_key))
        if self.failures:
            raise self.failures.pop(0)
        self.pending -= 1
        number = len({key for _, key in self.asked})
        ids = {"chat_id": "c", "message_id": f"m{number}", "stage_id": f"stage {number}", "request_id": f"r{number}"}
        return {"session_id": SESSION, "accepted": self.pending < 0, **ids}

    async def tell(self, connection: ServerConnection) -> None:
        await connection.recv()
        for number, content in enumerate(dict.fromkeys(content for content, _ in self.asked), 1):
            for message in self._reply(number, content):
                await connection.send(json.dumps(STAMP | message))
        status = {"type": "session.status", "status": "completed", "final_analysis": None, "error_message": None}
        await connection.send(json.dumps(STAMP | status))
        await connection.wait_closed()

    def _reply(self, number: int, content: str) -> Iterator[dict[str, object]]:
        status = self.ends.get(content, "completed")
        error = None if status == "completed" else f"it {status}"
        at = {"stage_id": f"stage {number}", "error_message": error, "status": status}
        yield {"type": "stage.status", "stage_name": "Chat", "stage_index": number, **at}
        yield {"type": "execution.status", "execution_id": f"e{number}", "agent_name": "A", "agent_index": 1, **at}
        asked: JsonValue = {"author": "ann", "message_id": f"m{number}", "stage_id": f"stage {number}"}
        yield self._event(f"q{number}", "user_question", content, None, asked)
        if status == "completed":
            yield self._event(f"f{number}", "final_analysis", f"Answer to {content}", f"e{number}", {})

    def _event(self, id: str, kind: str, content: str, execution: str | None, about: JsonValue) -> dict[str, object]:
        row = {"event_id": id, "event_type": kind, "content": content, "execution_id": execution, "metadata": about}
        return {"type": "timeline_event.created", "status": "completed", "sequence_number": 1, **row}


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatApi]:
    chat, listens, loop = ChatApi(), Event(), asyncio.new_event_loop()
    over = asyncio.Event()

    async def run() -> None:
        async with serve(chat.tell, "127.0.0.1", chat.port):
            listens.set()
            await over.wait()

    monkeypatch.setattr(asking, "post", chat.post)
    monkeypatch.setattr("tarsy_cli.api.PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(asking, "LOOK_SECONDS", 0.01)
    thread = Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    assert listens.wait(60)
    yield chat
    loop.call_soon_threadsafe(over.set)
    thread.join(60)
    loop.close()


def run(chat: ChatApi, *arguments: str, input: str = "") -> Result:
    return CliRunner().invoke(cli, ["chat", SESSION, *arguments, "--url", f"http://127.0.0.1:{chat.port}"], input=input)


def test_a_question_is_asked_and_its_answer_shown(chat: ChatApi) -> None:
    ran = run(chat, "Since when?")
    assert (ran.exit_code, ran.stdout) == (0, "· says\nAnswer to Since when?\n")
    assert [content for content, _ in chat.asked] == ["Since when?"]


def test_a_reply_that_fails_ends_the_command_with_1_and_says_why(chat: ChatApi) -> None:
    chat.ends["Since when?"] = "failed"
    ran = run(chat, "Since when?")
    assert ran.exit_code == 1
    assert ran.stderr == "The reply failed: it failed\n"


def test_a_question_that_is_refused_ends_the_command_with_1_in_the_words_of_the_api(chat: ChatApi) -> None:
    chat.failures = [ApiError(REFUSED)]
    ran = run(chat, "Since when?")
    assert (ran.exit_code, ran.stderr) == (1, f"{REFUSED}\n")


def test_a_question_is_sent_again_under_its_key_until_somebody_takes_it(chat: ChatApi) -> None:
    chat.failures = [UnreachableError("away"), UnavailableError("not now")]
    ran = run(chat, "Since when?")
    assert ran.exit_code == 0
    assert len(chat.asked) == 3
    assert len({key for _, key in chat.asked}) == 1
    assert ran.stdout.count("trying again") == 1


def test_a_question_that_nobody_decided_about_yet_is_asked_for_under_its_key(chat: ChatApi) -> None:
    chat.pending = 2
    assert run(chat, "Since when?").exit_code == 0
    assert len(chat.asked) == 3
    assert len({key for _, key in chat.asked}) == 1


def test_without_a_terminal_each_line_of_the_input_is_a_question(chat: ChatApi) -> None:
    chat.ends["two"] = "timed_out"
    ran = run(chat, input="one\n\n  \ntwo\nthree\n")
    assert ran.exit_code == 1
    assert ran.stdout == "> one\n· says\nAnswer to one\n> two\n> three\n· says\nAnswer to three\n"
    assert ran.stderr == "The reply took too long: it timed_out\n"
    assert len({key for _, key in chat.asked}) == 3


def test_programs_get_an_object_for_each_reply_and_nothing_else(chat: ChatApi) -> None:
    chat.ends["two"] = "cancelled"
    ran = run(chat, "--json", input="one\ntwo\n")
    assert ran.exit_code == 1
    one, two = [json.loads(line) for line in ran.stdout.splitlines()]
    assert one == {
        "session_id": SESSION, "chat_id": "c", "message_id": "m1", "stage_id": "stage 1", "author": "ann",
        "question": "one", "status": "completed", "answer": "Answer to one", "answer_cut": False, "error": None,
    }  # fmt: skip
    assert (two["status"], two["answer"], two["error"]) == ("cancelled", None, "it cancelled")


def test_a_refusal_is_an_object_too(chat: ChatApi) -> None:
    chat.failures = [ApiError(REFUSED)]
    ran = run(chat, "--json", "Since when?")
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)
    assert (found["status"], found["error"], found["stage_id"]) == ("refused", REFUSED, None)


def test_who_breaks_a_reply_off_cancels_it_and_sees_how_it_ends(chat: ChatApi, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupts = [KeyboardInterrupt]

    async def interrupted(
        api: str, session_id: str, view: SessionView, nothing_came: Callable[[], Awaitable[None]]
    ) -> None:
        if interrupts:
            raise interrupts.pop()
        await follow(api, session_id, view, nothing_came)

    monkeypatch.setattr(asking, "follow", interrupted)
    chat.ends["Since when?"] = "cancelled"
    ran = run(chat, "Since when?")
    assert ran.exit_code == 1
    assert len(chat.cancelled) == 1
    assert "(cancelling the reply)" in ran.stdout
    assert "The reply was cancelled" in ran.stderr


def test_who_breaks_off_twice_leaves(chat: ChatApi, monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "follow", interrupted)
    ran = run(chat, "Since when?")
    assert ran.exit_code == 130
    assert "The reply may go on" in ran.stderr


@pytest.mark.parametrize("leaves", [EOFError, KeyboardInterrupt])
def test_who_types_is_asked_until_the_end_of_input_or_a_break_at_the_prompt(
    monkeypatch: pytest.MonkeyPatch, leaves: type[BaseException]
) -> None:
    typed = iter(["one", "  ", "two"])

    def type_line(prompt: str) -> str:
        for line in typed:
            return line
        raise leaves

    monkeypatch.setattr("builtins.input", type_line)
    assert list(read_typed_questions()) == ["one", "two"]


def test_the_chat_so_far_is_each_question_with_its_answer() -> None:
    rows = [
        row("q1", "user_question", "Since when?", author="ann", stage_id="1"),
        row("t", "llm_thinking", "Hm.", stage="1"),
        row("a", "final_analysis", "Since 03:00.", stage="1"),
        row("q2", "user_question", "Is it over?\x1b[2J", author="bob", stage_id="2"),
    ]
    out = io.StringIO()
    print_chat(rows, Console(file=out, width=80, color_system=None))
    asks, question, says, answer, asks_too, other, none = out.getvalue().splitlines()
    assert (asks[-9:], question, says, answer) == (" ann asks", "Since when?", "· says", "Since 03:00.")
    assert (asks_too[-9:], none) == (" bob asks", "(no answer)")
    assert "\x1b" not in other


def row(id: str, kind: str, content: str, *, stage: str | None = None, **metadata: JsonValue) -> TimelineEvent:
    return TimelineEvent(
        id=id,
        session_id="s",
        stage_id=stage,
        execution_id=None,
        sequence_number=1,
        event_type=kind,
        status="completed",
        content=content,
        metadata=metadata,
        created_at="2026-11-23T10:00:00.000Z",
        updated_at="2026-11-23T10:00:00.000Z",
        number=1,
    )
