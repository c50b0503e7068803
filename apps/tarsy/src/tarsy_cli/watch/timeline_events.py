"""Timeline events on a page: what agents think, say and do."""

from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_cli.watch.conclusions import Conclusions
from tarsy_cli.watch.rendering import (
    EXECUTIVE_SUMMARY,
    NOTICE,
    QUESTION,
    QUIET,
    Payload,
    TerminalPage,
    approval_line,
    call_line,
    metadata,
    result_line,
    runbook_line,
    summary_line,
    text_of,
    whole_result,
)
from tarsy_cli.watch.stages import Stages
from tarsy_local.terminal_text import one_line

NOTED = {
    "skill_loaded": "skills: ",
    "google_search_result": "",
    "url_context_result": "",
    "code_execution": "",
    "native_tool": "",
}
"""Kinds that are told in one line, with the words before it."""
QUIET_KINDS = frozenset({"llm_wait", "provider_fallback"})


@dataclass(slots=True)
class ShownEvent:
    """A timeline event. `streamed`: the text of it that was shown; `before`: the text that comes again now."""

    kind: str
    execution: str
    tool: str = ""
    call_id: str = ""
    arguments: JsonValue = None
    streamed: str = ""
    before: str = ""
    done: bool = False


class Events:
    """Shows each once, and goes on with a text where it was when it is told again."""

    def __init__(self, page: TerminalPage, stages: Stages, conclusions: Conclusions) -> None:
        self._page = page
        self._stages = stages
        self._conclusions = conclusions
        self._events: dict[str, ShownEvent] = {}
        self._texts: dict[str, str] = {}

    def show(self, payload: Payload) -> None:
        """Does nothing for a message that is not about a timeline event."""
        match payload.get("type"):
            case "timeline_event.created":
                self._created(payload)
            case "stream.chunk":
                self._chunk(text_of(payload, "event_id"), text_of(payload, "delta"))
            case "stream.reset":
                _expect_again(self._event(payload))
            case "stream.progress":
                self._progress(text_of(payload, "event_id"), text_of(payload, "text"))
            case "timeline_event.completed":
                self._completed(payload)
            case _:
                pass

    def expect_all_again(self) -> None:
        for event in self._events.values():
            _expect_again(event)

    def _created(self, payload: Payload) -> None:
        event = self._event(payload)
        if event.kind in ("llm_tool_call", "runbook") and not event.tool:
            event.tool, line = call_line(payload, self._stages.speaker_among_several(event.execution))
            event.arguments = metadata(payload).get("arguments")
            event.call_id = text_of(metadata(payload), "call_id")
            if event.kind == "llm_tool_call":
                self._line(line, "bold blue")
        if payload.get("status") != "streaming":
            self._completed(payload)
        elif event.kind == "approval":
            self._line(approval_line(payload, self._stages.speaker_among_several(event.execution)), NOTICE)

    def _chunk(self, id: str, delta: str) -> None:
        event = self._events.setdefault(id, ShownEvent("llm_response", ""))
        if event.done:
            return
        before, event.before = event.before, ""
        event.streamed += delta
        if delta.startswith(before):
            delta = delta[len(before) :]
        else:
            self._line("(begins again: the process that wrote it was replaced)", NOTICE)
        self._write(id, event, delta)

    def _progress(self, id: str, text: str) -> None:
        event = self._events.get(id)
        if event is not None and not event.done:
            self._page.show_briefly(f"… {event.tool}: {one_line(text)}")

    def _completed(self, payload: Payload) -> None:
        event = self._event(payload)
        if event.done:
            return
        event.done = True
        content = text_of(payload, "content")
        match event.kind:
            case "llm_tool_call":
                line, style = result_line(event.tool or "tool", payload)
                self._line(line, style)
                whole = whole_result(payload, event.call_id)
                self._page.table(content.splitlines(), metadata(payload).get("lines"), whole)
            case "approval":
                self._line(f"! {self._who(event)}{one_line(content)}", NOTICE)
            case "missing_tools" | "missing_labels":
                self._line(f"! {one_line(content)}", NOTICE)
            case kind if kind in NOTED:
                self._line(f"{self._who(event)}{NOTED[kind]}{one_line(content)}", NOTICE)
            case "runbook":
                self._line(*runbook_line(payload, event.arguments))
            case "final_analysis":
                self._analysis(event, text_of(payload, "event_id"), content)
            case "executive_summary":
                self._conclusions.summary(content)
            case "user_question":
                self._question(payload, content)
            case _:
                self._text(event, payload, content)

    def _analysis(self, event: ShownEvent, id: str, content: str) -> None:
        """Agents in parallel have no analysis of the session; others may have spoken since this one did."""
        if self._stages.concludes_stage(event.execution):
            self._conclusions.analysis(content)
        elif self._texts.get(event.execution, "").strip() != content.strip():
            self._write(id, ShownEvent("llm_response", event.execution), content)
            self._page.close()

    def _question(self, payload: Payload, content: str) -> None:
        """From here on agents answer questions: none of their answers is the session's analysis."""
        self._conclusions.chat_begins()
        self._page.write(
            text_of(payload, "event_id"), QUESTION, content, one_line(text_of(metadata(payload), "author"))
        )
        self._page.close()

    def _text(self, event: ShownEvent, payload: Payload, content: str) -> None:
        id, status = text_of(payload, "event_id"), text_of(payload, "status")
        if event.kind in QUIET_KINDS:
            self._line(f"· {self._who(event)}{one_line(content)}", QUIET)
            return
        if event.kind in ("llm_limit", "budget"):
            self._line(f"! {self._who(event)}{one_line(content)}", NOTICE)
            return
        if event.kind == "error" and (metadata(payload).get("retry") or status == "cancelled"):
            what = "the question was abandoned" if status == "cancelled" else "an attempt failed"
            self._line(f"· {self._who(event)}{what}: {one_line(content)}", QUIET)
            return
        streamed, event.streamed, event.before = event.streamed or event.before, "", ""
        speaker = self._stages.speaker_among_several(event.execution)
        if not streamed and event.kind == "llm_response" and status != "failed" and not speaker:
            self._conclusions.hold(id, self._heading(event), content)
            return
        if content.startswith(streamed):
            self._write(id, event, content[len(streamed) :])
        elif content and not streamed.startswith(content) and not metadata(payload).get("display_cut"):
            self._line("(it ended otherwise than it streamed)", NOTICE)
            self._write(id, event, content)
        self._page.end(id)
        self._conclusions.above = self._texts[event.execution] = content
        if status == "failed":
            self._failed(event.kind)
        elif event.kind == "mcp_tool_summary" and (saved := summary_line(payload)):
            self._line(saved, QUIET)

    def _failed(self, kind: str) -> None:
        if kind == "mcp_tool_summary":
            self._line("(no summary; the agent reads the beginning of the result)", NOTICE)
        elif kind != "error":
            self._line("(this attempt came to nothing)", NOTICE)

    def _event(self, payload: Payload) -> ShownEvent:
        """The end of an event does not tell all that its beginning told."""
        id, kind = text_of(payload, "event_id"), text_of(payload, "event_type")
        event = self._events.setdefault(id, ShownEvent(kind or "llm_response", text_of(payload, "execution_id")))
        event.kind, event.execution = kind or event.kind, event.execution or text_of(payload, "execution_id")
        return event

    def _heading(self, event: ShownEvent) -> str:
        stage = self._stages.of(event.execution)
        is_summary = stage is not None and stage.kind == "exec_summary" and event.kind == "llm_response"
        return EXECUTIVE_SUMMARY if is_summary else event.kind

    def _who(self, event: ShownEvent) -> str:
        speaker = self._stages.speaker_among_several(event.execution)
        return speaker and f"{speaker}: "

    def _line(self, text: str, style: str) -> None:
        self._conclusions.flush()
        self._page.line(text, style)

    def _write(self, id: str, event: ShownEvent, text: str) -> None:
        if text:
            self._conclusions.flush()
            self._page.write(id, self._heading(event), text, self._stages.speaker_among_several(event.execution))


def _expect_again(event: ShownEvent) -> None:
    if event.streamed:
        event.before, event.streamed = event.streamed, ""
