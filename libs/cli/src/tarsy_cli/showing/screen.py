"""A session's messages, in the order in which the gateway sends them, as a person reads them."""

from rich.console import Console

from tarsy_cli.showing.printing import one_line
from tarsy_cli.showing.rendering import Page, Payload, call_line, metadata, result_line, text_of

NOTICE = "yellow"


class Screen:
    """Shows everything once, also when a lost connection brings the history again."""

    def __init__(self, console: Console) -> None:
        self._page = Page(console)
        self._done: set[str] = set()
        self._kinds: dict[str, str] = {}
        self._tools: dict[str, str] = {}
        self._streamed: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._steps: dict[str, str] = {}
        self._answer: Payload | None = None
        self._last_streamed = ""
        self._told_interrupted = False

    def show(self, payload: Payload) -> None:
        self._told_interrupted = False
        match payload.get("type"):
            case "timeline_event.created":
                self._created(payload)
            case "stream.chunk":
                self._chunk(text_of(payload, "event_id"), text_of(payload, "delta"))
            case "stream.reset":
                self._expect_again(text_of(payload, "event_id"))
            case "timeline_event.completed":
                self._completed(payload)
            case "stage.status":
                self._step(f"stage {one_line(text_of(payload, 'stage_name'))}", payload)
            case "session.status":
                self._step("session", payload)
            case _:
                pass

    def interrupted(self, reason: str) -> None:
        """What streams now will be told again, and may have grown."""
        if not self._told_interrupted:
            self._line(f"(the connection was lost, trying again: {one_line(reason)})", NOTICE)
            self._told_interrupted = True
        for id in list(self._streamed):
            self._expect_again(id)

    def _created(self, payload: Payload) -> None:
        id, kind = text_of(payload, "event_id"), text_of(payload, "event_type")
        self._kinds[id] = kind
        if kind == "llm_tool_call" and id not in self._tools:
            self._tools[id], line = call_line(payload)
            self._line(line, "bold blue")
        if payload.get("status") != "streaming":
            self._completed(payload)

    def _chunk(self, id: str, delta: str) -> None:
        if id in self._done:
            return
        before = self._replaced.pop(id, "")
        self._streamed[id] = self._streamed.get(id, "") + delta
        if delta.startswith(before):
            delta = delta[len(before) :]
        else:
            self._line("(begins again: the process that wrote it was replaced)", NOTICE)
        self._write(id, self._kinds.get(id, "llm_response"), delta)

    def _expect_again(self, id: str) -> None:
        if text := self._streamed.pop(id, ""):
            self._replaced[id] = text

    def _completed(self, payload: Payload) -> None:
        id = text_of(payload, "event_id")
        if id in self._done:
            return
        self._done.add(id)
        kind = text_of(payload, "event_type") or self._kinds.get(id, "")
        if kind == "llm_tool_call":
            line, style = result_line(self._tools.get(id, "tool"), payload)
            self._line(line, style)
            self._page.table(text_of(payload, "content").splitlines(), metadata(payload).get("lines"))
        elif kind == "final_analysis":
            self._final_analysis(text_of(payload, "content"))
        else:
            self._text(id, kind, payload)

    def _text(self, id: str, kind: str, payload: Payload) -> None:
        streamed = self._streamed.pop(id, "") or self._replaced.pop(id, "")
        content = text_of(payload, "content")
        if not streamed and kind == "llm_response":
            self._flush()
            self._answer = payload
            return
        if content.startswith(streamed):
            self._write(id, kind, content[len(streamed) :])
        elif content and not streamed.startswith(content) and not metadata(payload).get("display_cut"):
            self._line("(it ended otherwise than it streamed)", NOTICE)
            self._write(id, kind, content)
        self._page.close()
        self._last_streamed = content
        if text_of(payload, "status") == "failed":
            self._failed(kind)

    def _failed(self, kind: str) -> None:
        if kind == "mcp_tool_summary":
            self._line("(no summary; the agent reads the beginning of the result)", NOTICE)
        elif kind != "error":
            self._line("(this came to nothing)", NOTICE)

    def _final_analysis(self, content: str) -> None:
        """The last answer of an agent: what was read while it streamed is not printed a second time."""
        if self._answer is not None and text_of(self._answer, "content").strip() == content.strip():
            self._answer = None
        self._flush()
        self._page.final_analysis(content, is_above=self._last_streamed.strip() == content.strip())

    def _step(self, what: str, payload: Payload) -> None:
        place = text_of(payload, "stage_id") or what
        status = one_line(text_of(payload, "status"))
        if self._steps.get(place) == status:
            return
        self._steps[place] = status
        self._line(f"■ {what}: {status.replace('_', ' ')}", "bold")
        if error := text_of(payload, "error_message"):
            self._line(one_line(error), "red")

    def _flush(self) -> None:
        """An answer that came whole is held back for as long as it may be the final analysis."""
        held, self._answer = self._answer, None
        if held is not None:
            self._page.write(text_of(held, "event_id"), "llm_response", text_of(held, "content"))
            self._page.close()
            if text_of(held, "status") == "failed":
                self._failed("llm_response")

    def _line(self, text: str, style: str) -> None:
        self._flush()
        self._page.line(text, style)

    def _write(self, id: str, kind: str, text: str) -> None:
        if text:
            self._flush()
            self._page.write(id, kind, text)
