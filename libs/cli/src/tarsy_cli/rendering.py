"""A session on a terminal. What comes from outside is printed as text, never as markup or control characters."""

from pydantic import JsonValue
from rich.console import Console
from rich.markdown import Markdown
from rich.rule import Rule
from rich.text import Text

FOLDED_LINES = 12
STYLES = {
    "llm_thinking": "italic bright_black",
    "llm_response": "default",
    "mcp_tool_summary": "cyan",
    "error": "red",
    "request": "yellow",
    "alert_repeated": "yellow",
}
HEADINGS = {
    "llm_thinking": "thinks",
    "llm_response": "says",
    "mcp_tool_summary": "summary of the result",
    "error": "error",
    "request": "request",
    "alert_repeated": "alert",
}

type Payload = dict[str, JsonValue]


class Screen:
    """Shows each timeline event once, also when a lost connection brings the history again."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._done: set[str] = set()
        self._kinds: dict[str, str] = {}
        self._tools: dict[str, str] = {}
        self._streamed: set[str] = set()
        self._open: str | None = None
        self._told_interrupted = False

    def show(self, payload: Payload) -> None:
        self._told_interrupted = False
        match payload.get("type"):
            case "timeline_event.created":
                self._created(payload)
            case "stream.chunk":
                self._chunk(_text(payload, "event_id"), _text(payload, "delta"))
            case "stream.reset":
                self._line(Text("(begins again: the process that streamed it was replaced)", style="yellow"))
            case "timeline_event.completed":
                self._completed(payload)
            case "stage.status":
                self._step("stage", payload, "stage_name")
            case "session.status":
                self._step("session", payload, "session_id")
            case _:
                pass

    def interrupted(self, reason: str) -> None:
        if not self._told_interrupted:
            self._line(Text(f"(the connection was lost, trying again: {printable(reason)})", style="yellow"))
            self._told_interrupted = True

    def _created(self, payload: Payload) -> None:
        id, kind = _text(payload, "event_id"), _text(payload, "event_type")
        self._kinds[id] = kind
        if id in self._done:
            return
        if kind == "llm_tool_call":
            self._call(id, payload)
        if payload.get("status") != "streaming":
            self._completed(payload)

    def _call(self, id: str, payload: Payload) -> None:
        if id in self._tools:
            return
        metadata = payload.get("metadata")
        about = metadata if isinstance(metadata, dict) else {}
        name = f"{about.get('server_name')}.{about.get('tool_name')}"
        self._tools[id] = name
        arguments = about.get("arguments")
        shown = ", ".join(f"{key}={value}" for key, value in arguments.items()) if isinstance(arguments, dict) else ""
        risk = "" if about.get("repeatable") else "  [changes something: runs once, on a grant]"
        self._line(Text(f"→ {printable(name)}({printable(shown)}){risk}", style="bold blue"))

    def _chunk(self, id: str, delta: str) -> None:
        if id in self._done:
            return
        kind = self._kinds.get(id, "llm_response")
        if self._open != id:
            self._heading(kind)
            self._open = id
        self._streamed.add(id)
        self._console.print(Text(printable(delta), style=STYLES.get(kind, "default")), end="")

    def _completed(self, payload: Payload) -> None:
        id = _text(payload, "event_id")
        if id in self._done:
            return
        self._done.add(id)
        kind = _text(payload, "event_type") or self._kinds.get(id, "")
        content, status = _text(payload, "content"), _text(payload, "status")
        if kind == "llm_tool_call":
            self._result(id, payload, content)
        elif kind == "final_analysis":
            self._close()
            self._console.print(Rule("final analysis", style="green"))
            self._console.print(Markdown(printable(content), hyperlinks=False), soft_wrap=False)
        elif id in self._streamed:
            self._close()
        else:
            self._heading(kind)
            self._line(Text(printable(content), style=STYLES.get(kind, "default")))
        if status == "failed" and kind == "mcp_tool_summary":
            self._line(Text("(no summary; the agent reads the beginning of the result)", style="yellow"))

    def _result(self, id: str, payload: Payload, content: str) -> None:
        metadata = payload.get("metadata")
        about = metadata if isinstance(metadata, dict) else {}
        outcome = about.get("outcome", payload.get("status"))
        size = f"{about.get('lines', '?')} lines, {about.get('size', '?')} bytes"
        name = self._tools.get(id, "tool")
        style = "blue" if outcome == "ok" else "red"
        self._line(Text(f"← {printable(name)}: {outcome}, {size}", style=style))
        lines = content.splitlines()
        for line in lines[:FOLDED_LINES]:
            self._line(Text(f"   {printable(line)}", style="bright_black"))
        if len(lines) > FOLDED_LINES:
            self._line(Text(f"   … {len(lines) - FOLDED_LINES} more lines here", style="bright_black"))

    def _step(self, what: str, payload: Payload, name: str) -> None:
        self._line(Text(f"■ {what} {printable(_text(payload, name))}: {_text(payload, 'status')}", style="bold"))
        if error := _text(payload, "error_message"):
            self._line(Text(printable(error), style="red"))

    def _heading(self, kind: str) -> None:
        self._line(Text(f"· {HEADINGS.get(kind, kind)}", style="bold"))

    def _line(self, text: Text) -> None:
        self._close()
        self._console.print(text)

    def _close(self) -> None:
        if self._open is not None:
            self._console.print()
            self._open = None


def printable(text: str) -> str:
    """Without control characters, which could write anywhere on the terminal."""
    return "".join(char if char in "\n\t" or char.isprintable() else "�" for char in text)


def _text(payload: Payload, name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
