"""A session's messages, in the order in which the gateway sends them, as a person reads them."""

import time
from collections.abc import Callable, Iterable

from rich.console import Console

from tarsy_cli.watch.conclusions import Conclusions
from tarsy_cli.watch.rendering import NOTICE, QUIET, Payload, TerminalPage, text_of
from tarsy_cli.watch.stages import Line, StageProgress, Stages
from tarsy_cli.watch.stream_arbiter import StreamArbiter
from tarsy_cli.watch.timeline_events import Events
from tarsy_contracts.timeline.model import ENDED
from tarsy_local.terminal_text import one_line


class Screen:
    """Shows everything once, also when a lost connection brings the history again."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._page = TerminalPage(console)
        self._arbiter = StreamArbiter(clock)
        self._stages = Stages()
        self._conclusions = Conclusions(self._page)
        self._events = Events(self._page, self._stages, self._conclusions)
        self.status = ""
        self._queued: object = None
        self._shown_interrupted = False

    @property
    def waits_for_its_turn(self) -> bool:
        return self.status == "pending"

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    def show(self, payload: Payload) -> None:
        self._shown_interrupted = False
        for admitted in self._arbiter.admit(payload):
            self._show_payload(admitted)

    def idle(self) -> None:
        """Nothing came for a moment."""
        for admitted in self._arbiter.idle():
            self._show_payload(admitted)

    def show_queue_position(self, position: object) -> None:
        """Its place in the queue, as the API knows it."""
        if self.waits_for_its_turn and isinstance(position, int) and position != self._queued:
            self._queued = position
            self._print_line(f"· queued: number {position} in the queue", QUIET)

    def show_interruption(self, reason: str) -> None:
        """Shows what waits. Text that streams now will come again, and may have grown."""
        for admitted in self._arbiter.release():
            self._show_payload(admitted)
        self._stages.catching_up = True
        if not self._shown_interrupted:
            self._print_line(f"(the connection was lost, trying again: {one_line(reason)})", NOTICE)
            self._shown_interrupted = True
        self._events.expect_all_again()

    def _show_payload(self, payload: Payload) -> None:
        match payload.get("type"):
            case "timeline_event.created":
                self._enter_stage(
                    self._stages.of(text_of(payload, "execution_id")) or self._stages.find_reply_stage(payload)
                )
                self._events.show(payload)
            case "execution.status":
                stage = self._stages.agent(payload)
                self._print_steps(stage.news() if not self._stages.catching_up else ())
            case "stage.status":
                self._show_stage(payload)
            case "session.status":
                self._show_session_change(payload)
            case _:
                self._events.show(payload)

    def _show_stage(self, payload: Payload) -> None:
        stage = self._stages.stage(payload)
        if self._stages.catching_up:
            return
        self._settle_conclusions(stage)
        self._print_steps(stage.news())

    def _enter_stage(self, stage: StageProgress | None) -> None:
        if stage is None or not self._stages.catching_up:
            return
        self._settle_conclusions(stage)
        self._print_steps(self._stages.up_to(stage))

    def _settle_conclusions(self, stage: StageProgress) -> None:
        """Marks the last analysis before the executive summary: it is the session's."""
        if stage.shown:
            return
        if stage.kind == "exec_summary":
            self._conclusions.mark()
        else:
            self._conclusions.flush()

    def _show_session_change(self, payload: Payload) -> None:
        self._stages.catching_up = False
        status = text_of(payload, "status")
        if status == "completed":
            self._conclusions.end(text_of(payload, "final_analysis"), text_of(payload, "executive_summary"))
        self._print_steps(self._stages.news())
        if status == self.status:
            return
        self.status = status
        self._print_line(f"■ session: {one_line(status).replace('_', ' ')}", "bold")
        if error := text_of(payload, "error_message"):
            self._print_line(one_line(error), "red")
        if why := text_of(payload, "partial_reason"):
            self._print_line(f"(partial analysis: {one_line(why)})", NOTICE)
        if error := text_of(payload, "executive_summary_error"):
            self._print_line(f"(no executive summary: {one_line(error)})", NOTICE)
        limits = payload.get("evidence_limits")
        for limit in limits if isinstance(limits, list) else ():
            self._print_line(f"(limited evidence: {one_line(str(limit))})", NOTICE)

    def _print_steps(self, lines: Iterable[Line]) -> None:
        for text, style in lines:
            self._conclusions.settle()
            self._page.line(text, style)

    def _print_line(self, text: str, style: str) -> None:
        self._conclusions.flush()
        self._page.line(text, style)
