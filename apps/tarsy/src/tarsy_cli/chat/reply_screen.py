"""A reply on a terminal, as it is written: of all messages of the session, those of its stage."""

import time
from collections.abc import Callable

from rich.console import Console

from tarsy_cli.chat.reply import Reply
from tarsy_cli.watch.conclusions import Conclusions
from tarsy_cli.watch.rendering import NOTICE, Payload, TerminalPage, metadata, text_of
from tarsy_cli.watch.stages import Stages
from tarsy_cli.watch.stream_arbiter import StreamArbiter
from tarsy_cli.watch.timeline_events import Events
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_contracts.timeline.model import ENDED
from tarsy_local.terminal_text import one_line


class ReplyScreen:
    """Shows everything once, also when a lost connection brings the history again."""

    def __init__(self, console: Console, sent: ChatMessageSent, clock: Callable[[], float] = time.monotonic) -> None:
        self._page = TerminalPage(console)
        self._sent = sent
        self._arbiter = StreamArbiter(clock)
        self._stages = Stages()
        self._conclusions = Conclusions(self._page)
        self._events = Events(self._page, self._stages, self._conclusions)
        self._own: set[str] = set()
        self._shown_interrupted = False
        self._catching_up = True
        self._status = ""
        self._author: str | None = None
        self._answer: str | None = None
        self._answer_cut = False
        self._error: str | None = None
        self._last_skills = ""

    @property
    def ended(self) -> bool:
        return self._status in ENDED and not self._catching_up

    def reply(self, question: str) -> Reply:
        """Returns its outcome, once it has ended."""
        return Reply(
            session_id=self._sent.session_id,
            chat_id=self._sent.chat_id,
            message_id=self._sent.message_id,
            stage_id=self._sent.stage_id,
            author=self._author,
            question=question,
            status=self._status,
            answer=self._answer,
            answer_cut=self._answer_cut,
            error=self._error,
        )

    def show(self, payload: Payload) -> None:
        self._shown_interrupted = False
        is_repeated = self._repeats_skills(payload)
        if self._is_own(payload) and not is_repeated:
            for admitted in self._arbiter.admit(payload):
                self._show_payload(admitted)
        if payload.get("type") == "session.status":
            # The last message of a history. A stage that has ended stands before what happened in it.
            self._catching_up = False
        if self.ended:
            self._show_released()
            self._conclusions.flush()
            self._page.close()

    async def idle(self) -> None:
        """Nothing came for a moment."""
        for admitted in self._arbiter.idle():
            self._show_payload(admitted)

    def show_interruption(self, reason: str) -> None:
        was_shown, self._shown_interrupted = self._shown_interrupted, True
        self.begin_again("" if was_shown else f"(the connection was lost, trying again: {one_line(reason)})")

    def begin_again(self, notice: str) -> None:
        """Shows what waits. The history comes again, and text that streams now may have grown."""
        self._show_released()
        self._events.expect_all_again()
        self._catching_up = True
        if notice:
            self._conclusions.flush()
            self._page.line(notice, NOTICE)

    def _show_released(self) -> None:
        for admitted in self._arbiter.release():
            self._show_payload(admitted)

    def _is_own(self, payload: Payload) -> bool:
        """Learns which executions and events are those of the reply."""
        type, event = text_of(payload, "type"), text_of(payload, "event_id")
        if type in ("stage.status", "execution.status"):
            return payload.get("stage_id") == self._sent.stage_id
        if type == "timeline_event.created" and payload.get("event_type") == "user_question":
            self._learn_author(payload)
        if event and self._stages.of(text_of(payload, "execution_id")) is not None:
            self._own.add(event)
        return event in self._own

    def _repeats_skills(self, payload: Payload) -> bool:
        """Skills are told once, and again when they have changed: the history has those of the reply before."""
        if payload.get("event_type") != "skill_loaded":
            return False
        before, self._last_skills = self._last_skills, text_of(payload, "content")
        return before == self._last_skills

    def _learn_author(self, payload: Payload) -> None:
        about = metadata(payload)
        if about.get("message_id") == self._sent.message_id:
            self._author = text_of(about, "author")

    def _show_payload(self, payload: Payload) -> None:
        match payload.get("type"):
            case "timeline_event.created":
                self._note_answer(payload)
                self._events.show(payload)
            case "execution.status":
                self._stages.agent(payload)
            case "stage.status":
                self._note_stage_change(payload)
            case _:
                self._events.show(payload)

    def _note_answer(self, payload: Payload) -> None:
        if payload.get("event_type") == "final_analysis":
            self._answer = text_of(payload, "content")
            self._answer_cut = metadata(payload).get("display_cut") is True

    def _note_stage_change(self, payload: Payload) -> None:
        """A history may be older than what was seen."""
        if self._status not in ENDED:
            self._status, self._error = text_of(payload, "status"), text_of(payload, "error_message") or None
